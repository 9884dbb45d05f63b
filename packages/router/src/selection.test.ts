import { expect, it } from 'vitest'
import { activateLabels, findTopLabel, measureGap } from './activation.ts'
import { createRouter } from './router.ts'
import { selectCandidate } from './select-candidate.ts'

/** Numbers that look random and are the same in every run (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const random = createRandom(20)
const pick = (count: number) => Math.floor(random() * count)
const LABELS = Array.from({ length: 8 }, (_, index) => `label-${index}`)

/** A label is a bit of a mask here: the test shares nothing with the code that it tests. */
function chooseByBruteForce(
  scores: readonly number[],
  { threshold, needsOne, masks }: { threshold: number; needsOne: boolean; masks: readonly number[] },
): number {
  let active = 0
  let top = 0
  for (let bit = 0; bit < scores.length; bit++) {
    if ((scores[bit] ?? 0) >= threshold) active |= 1 << bit
    if ((scores[bit] ?? 0) > (scores[top] ?? 0)) top = bit
  }
  if (active === 0 && needsOne) active = 1 << top
  if (active === 0) return -1
  for (let index = 0; index < masks.length; index++) if (((masks[index] ?? 0) & active) === active) return index
  return -1
}

it('agrees with a brute-force selector on 100,000 random policies, scores and candidates', () => {
  let fallbacks = 0
  for (let round = 0; round < 100_000; round++) {
    const labels = LABELS.slice(0, 1 + pick(LABELS.length))
    // Coarse numbers, so that scores are often equal to one another and to the threshold.
    const scores = labels.map((label) => ({ label, score: pick(21) / 20 }))
    const [threshold, needsOne] = [pick(21) / 20, random() < 0.5]
    const masks = Array.from({ length: pick(6) }, () => pick(2 ** labels.length))
    const candidates = masks.map((mask, index) => ({
      model: `model-${index}`,
      labels: labels.filter((_, bit) => (mask & (1 << bit)) !== 0),
    }))
    const expected = chooseByBruteForce(
      scores.map(({ score }) => score),
      { threshold, needsOne, masks },
    )
    const chosen = selectCandidate(candidates, activateLabels(scores, { threshold, needsOne }))
    if (chosen?.model !== candidates[expected]?.model) {
      throw new Error(JSON.stringify({ scores, threshold, needsOne, candidates, chosen }))
    }
    if (expected < 0) fallbacks++
  }
  expect(fallbacks).toBeGreaterThan(10_000)
  expect(fallbacks).toBeLessThan(90_000)
})

it('serves only listed models, whatever the answers of a model are', async () => {
  const oddities = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, -1e308, 0, 3]
  for (let round = 0; round < 2_000; round++) {
    const policies = LABELS.slice(0, 1 + pick(4)).map((label) => ({ label, description: label }))
    const candidates = Array.from({ length: 1 + pick(3) }, (_, index) => ({
      model: `model-${index}`,
      labels: policies.map(({ label }) => label).filter(() => random() < 0.5),
    }))
    const scorer = {
      score: async () =>
        Array.from({ length: policies.length + pick(2) }, () => {
          return { logProbability: oddities[pick(oddities.length)] ?? 0, tokenCount: pick(3) - (pick(9) === 0 ? 1 : 0) }
        }),
    }
    const settings = { classifierModel: 'scorer', policies, candidates, fallback: 'spare' }
    const { servedModel } = await createRouter({ name: 'auto', settings, scorer }).decide(`prompt ${round}`)
    expect(['spare', ...candidates.map(({ model }) => model)]).toContain(servedModel)
  }
})

it('finds the first of equal labels, and the gap to the runner-up', () => {
  const scores = [
    { label: 'a', score: 0.2 },
    { label: 'b', score: 0.5 },
    { label: 'c', score: 0.5 },
  ]
  expect(findTopLabel(scores)).toEqual({ label: 'b', score: 0.5 })
  expect(measureGap(scores)).toBe(0)
  expect(measureGap(scores.slice(0, 2))).toBeCloseTo(0.3, 12)
  expect(measureGap(scores.slice(0, 1))).toBeUndefined()
})
