import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { embedWords } from '../__fixtures__/models.ts'
import { countVotes } from '../classifiers/vote.ts'
import type { StoredEntry } from '../corpus/line.ts'
import { createRouter } from '../router.ts'
import type { RouterSettings } from '../settings.ts'
import { evaluateRouter } from './evaluate.ts'
import { fitActivationThreshold, fitKnnThresholds } from './fit-thresholds.ts'

interface LabelledText {
  readonly text: string
  readonly labels: readonly string[]
}

const lines = readFileSync(new URL('../../test/__fixtures__/labelled-texts.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
const texts = lines.map((line) => JSON.parse(line) as LabelledText)
const [fitted, held] = [texts.filter((_, index) => index % 2 === 0), texts.filter((_, index) => index % 2 === 1)]

const SETTINGS: RouterSettings = {
  classifier: 'knn',
  policies: ['code', 'math', 'write', 'chat'].map((label) => ({ label, description: `The user asks for ${label}` })),
  candidates: [
    { model: 'small', labels: ['chat'] },
    { model: 'writer', labels: ['chat', 'write'] },
    { model: 'coder', labels: ['chat', 'code'] },
    { model: 'big', labels: ['chat', 'code', 'math', 'write'] },
  ],
  fallback: 'big',
  knn: { embeddingModel: 'words', k: 7 },
}

const store = ({ text, labels }: LabelledText): StoredEntry => {
  return { text, labels, vector: embedWords(text), embeddingModel: 'words', embeddingFingerprint: 'f' }
}

const compare = (one: Float32Array, other: Float32Array) => {
  let [product, square, otherSquare] = [0, 0, 0]
  for (const [index, value] of one.entries()) {
    const second = other[index] ?? 0
    product += value * second
    square += value * value
    otherSquare += second * second
  }
  return product / Math.sqrt(square * otherSquare)
}

const corpus = fitted.map(store)
/** The neighbours of each held-out text, found without the index. */
const neighborsOfHeld = held.map(({ text }) => {
  const vector = embedWords(text)
  return corpus
    .map((entry) => ({ id: entry.text, labels: entry.labels, similarity: compare(vector, entry.vector) }))
    .sort((one, other) => other.similarity - one.similarity)
    .slice(0, 7)
})

const isCovered = (labels: readonly string[], active: readonly string[]) => {
  return active.length > 0 && active.every((label) => labels.includes(label))
}
const pick = (active: readonly string[]) =>
  SETTINGS.candidates.find(({ labels }) => isCovered(labels, active))?.model ?? SETTINGS.fallback

/** The share of held-out texts that the right model serves. */
function rateHeld(similarityThreshold: number, voteThreshold: number): number {
  const right = held.filter(({ labels }, index) => {
    const shares = countVotes(neighborsOfHeld[index] ?? [], { similarityThreshold })
    return pick(shares.filter(({ score }) => score >= voteThreshold).map(({ label }) => label)) === pick(labels)
  })
  return right.length / held.length
}

const STEPS = Array.from({ length: 20 }, (_, index) => (index + 1) / 20)

describe('thresholds of knn', () => {
  it('reach 97 % of the best point of a grid, on texts that they have not seen', async () => {
    expect(texts.length).toBeGreaterThanOrEqual(600)
    const { proposed, current, sampleCount } = await fitKnnThresholds(corpus, { settings: SETTINGS })
    expect(sampleCount).toBe(fitted.length)
    const best = Math.max(...STEPS.flatMap((gate) => STEPS.map((vote) => rateHeld(gate - 0.05, vote))))
    const { similarityThreshold, voteThreshold } = proposed.thresholds
    expect(rateHeld(similarityThreshold, voteThreshold)).toBeGreaterThanOrEqual(0.97 * best)
    expect(proposed.accuracy).toBeGreaterThanOrEqual(current.accuracy)
    expect(current.thresholds).toEqual({ similarityThreshold: 0.8, voteThreshold: 0.5 })
  })

  it('come with what they change: confusion, labels, models', async () => {
    const report = await fitKnnThresholds(corpus, { settings: SETTINGS })
    const sum = (cells: readonly { readonly count: number }[]) => cells.reduce((total, { count }) => total + count, 0)
    expect(sum(report.confusion)).toBe(fitted.length)
    const right = report.confusion.filter(({ expected, served }) => expected === served)
    expect(sum(right) / fitted.length).toBeCloseTo(report.proposed.accuracy, 12)
    for (const { label, truePositives, falseNegatives } of report.labels) {
      const count = fitted.filter(({ labels }) => labels.includes(label)).length
      expect(truePositives + falseNegatives, label).toBe(count)
    }
    expect(report.changes.every(({ expected, served }) => expected !== served)).toBe(true)
    expect(sum(report.changes)).toBeGreaterThan(0)
    expect(JSON.stringify(report)).not.toContain(fitted[0]?.text)
  })

  it('leave the text itself out', async () => {
    // Each text by itself is right; its only neighbour says otherwise.
    const pair = [
      { text: 'same words', labels: ['code'] },
      { text: 'words same', labels: ['chat'] },
    ]
    const { proposed, confusion } = await fitKnnThresholds(pair.map(store), { settings: SETTINGS })
    expect(proposed.accuracy).toBe(0)
    expect(confusion.map(({ count }) => count)).toEqual([1, 1])
  })

  it('that do equally well are a high similarity, and the vote nearest to the present one', async () => {
    // Two words of three are the same: a similarity of two thirds.
    const pair = ['same words here', 'same words there'].map((text) => ({ text, labels: ['code'] }))
    for (const voteThreshold of [0.05, 0.37, 1]) {
      const settings = { ...SETTINGS, knn: { embeddingModel: 'words', similarityThreshold: 0.8, voteThreshold } }
      const { current, proposed, hasGain } = await fitKnnThresholds(pair.map(store), { settings })
      expect(current).toMatchObject({ thresholds: { similarityThreshold: 0.8, voteThreshold }, accuracy: 0 })
      expect([proposed.thresholds, hasGain]).toEqual([{ similarityThreshold: 0.65, voteThreshold }, true])
    }
  })

  it('leave a text to the fallback where no label has votes enough', async () => {
    // The two neighbours of each text have one vote each, for other labels.
    const three = [
      { text: 'some same words', labels: ['code'] },
      { text: 'same words some', labels: ['chat'] },
      { text: 'words some same', labels: ['math'] },
    ]
    const settings = { ...SETTINGS, knn: { embeddingModel: 'words', similarityThreshold: 0.8, voteThreshold: 0.9 } }
    const { current, confusion } = await fitKnnThresholds(three.map(store), { settings })
    expect(current.accuracy).toBeCloseTo(1 / 3, 12)
    expect(confusion.every(({ served }) => served === SETTINGS.fallback)).toBe(true)
  })

  it('that do as well as the present ones are not proposed', async () => {
    const pair = ['same words', 'words same'].map((text) => ({ text, labels: ['code'] }))
    const settings = { ...SETTINGS, knn: { embeddingModel: 'words', similarityThreshold: 0.42, voteThreshold: 0.37 } }
    const { current, proposed, hasGain } = await fitKnnThresholds(pair.map(store), { settings })
    expect([proposed, hasGain]).toEqual([current, false])
  })

  it('need two entries, and end with the signal', async () => {
    await expect(fitKnnThresholds(corpus.slice(0, 1), { settings: SETTINGS })).rejects.toMatchObject({
      code: 'router_samples',
    })
    const leave = new AbortController()
    const fitting = fitKnnThresholds(corpus, { settings: SETTINGS, signal: leave.signal })
    leave.abort(new Error('left'))
    await expect(fitting).rejects.toThrow('left')
  })
})

const kept = new Map<string, number[]>()

/** Likeness of a prompt to each policy: the cosine of the nearest text of the label. */
function compareWithLabels(user: string): number[] {
  const present = kept.get(user)
  if (present !== undefined) return present
  const vector = embedWords(user)
  const found = SETTINGS.policies.map(({ label }) =>
    Math.max(...corpus.filter(({ labels }) => labels.includes(label)).map((entry) => compare(vector, entry.vector))),
  )
  kept.set(user, found)
  return found
}

/** A scorer whose log-probabilities lie close together, as means do. */
const scorer = {
  async score({ prompt }: { readonly prompt: string }) {
    const user = prompt.slice(prompt.indexOf('<|im_start|>user') + 16)
    return compareWithLabels(user).map((similarity) => ({ logProbability: 24 * similarity, tokenCount: 6 }))
  },
}

describe('the activation threshold', () => {
  const score = { ...SETTINGS, classifier: 'score', classifierModel: 'scorer', classifierCacheSize: 1 }

  it('that is fitted to one half reaches 97 % of the best point of a grid on the other', async () => {
    const rate = async (activationThreshold: number, half: readonly LabelledText[]) =>
      evaluateRouter(createRouter({ name: 'auto', settings: { ...score, activationThreshold }, scorer }), {
        lines: half.map((text) => JSON.stringify(text)),
      })
    const [first, second] = [held.filter((_, index) => index % 2 === 0), held.filter((_, index) => index % 2 === 1)]
    const { scored } = await rate(0, first)
    const { proposed, current } = fitActivationThreshold(scored, { settings: score })
    expect(current.thresholds).toBe(0.15)
    expect(proposed.accuracy).toBeGreaterThan(current.accuracy)
    const rates: number[] = []
    for (const threshold of STEPS.slice(0, -1)) rates.push((await rate(threshold, second)).rate)
    expect((await rate(proposed.thresholds, second)).rate).toBeGreaterThanOrEqual(0.97 * Math.max(...rates))
  })

  const scored = (code: number, chat: number, model?: string) => ({
    labels: ['code'],
    model,
    labelScores: [
      { label: 'code', score: code },
      { label: 'chat', score: chat },
    ],
  })

  it.each([
    // The top label of a score is active below the threshold too, that of decisions is not.
    ['score', 0.95, [scored(0.9, 0.1)], 0.95],
    // One step away from the score, where the thresholds on both sides do well.
    ['decisions', 0.95, [scored(0.9, 0.1)], 0.89],
    ['score', 0.05, [scored(0.9, 0.5)], 0.51],
    ['decisions', 0.3, [scored(0.9, 0.1)], 0.3],
    ['decisions', 0.05, [scored(0.9, 0.1)], 0.11],
    ['colbert', 2, [scored(5, 1)], 2],
    ['colbert', 1, [scored(5, 1)], 1.05],
    ['colbert', 7, [scored(5, 1), scored(4, 3.02)], 7],
    ['colbert', 0.5, [scored(0.4, 0.2)], 0.5],
  ] as const)('of %s stays as near to %d as it can', (classifier, activationThreshold, samples, expected) => {
    const settings = { ...score, classifier, activationThreshold }
    const { current, proposed } = fitActivationThreshold(samples, { settings })
    expect([current.thresholds, proposed.thresholds]).toEqual([activationThreshold, expected])
    expect(proposed).toMatchObject({ accuracy: 1, exactLabels: 1 })
  })

  it('needs texts', () => {
    expect(() => fitActivationThreshold([], { settings: score })).toThrow(
      expect.objectContaining({ code: 'router_samples' }),
    )
  })
})

describe('an evaluation', () => {
  const router = createRouter({
    name: 'auto',
    settings: { ...SETTINGS, classifier: 'decisions', classifierModel: 'm' },
    decisionModel: {
      decide: async ({ prompt, questions }) =>
        questions.map(({ id, label }) => ({ id, probability: prompt.includes(label) ? 1 : 0 })),
    },
  })

  it('names the first hundred misses, and counts all', async () => {
    const set = Array.from({ length: 103 }, () => '{"text":"my chat","model":"coder"}')
    const { total, correct, misses } = await evaluateRouter(router, { lines: set })
    expect([total, correct, misses.length, misses.at(-1)?.line]).toEqual([103, 0, 100, 100])
  })

  it('counts what is routed right, names by their lines what is not, and passes over lines that cannot be read', async () => {
    const set = [
      '{"text":"some code","labels":["code"]}',
      '',
      'garbage',
      '{"text":"my chat","model":"coder"}',
      '{"text":"nothing","model":"big"}',
      '{"text":5}',
      '{"text":"x"}',
    ]
    const evaluation = await evaluateRouter(router, { lines: set })
    expect(evaluation).toMatchObject({ total: 3, correct: 2, rate: 2 / 3, problemCount: 3 })
    expect(evaluation.misses).toEqual([{ line: 4, expected: 'coder', served: 'small', labels: ['chat'] }])
    expect(evaluation.problems.map(({ line }) => line)).toEqual([3, 6, 7])
    expect(evaluation.confusion).toEqual(
      expect.arrayContaining([
        { expected: 'coder', served: 'coder', count: 1 },
        { expected: 'coder', served: 'small', count: 1 },
        { expected: 'big', served: 'big', count: 1 },
      ]),
    )
    expect(await evaluateRouter(router, { lines: [] })).toMatchObject({ total: 0, rate: 0 })
  })

  it('ends with the signal', async () => {
    const signal = AbortSignal.abort(new Error('left'))
    await expect(evaluateRouter(router, { lines: ['{"text":"x","labels":["code"]}'], signal })).rejects.toThrow('left')
  })
})
