import { describe, expect, it } from 'vitest'
import { createWordEmbedder, embedWords, SETTINGS } from '../__fixtures__/models.ts'
import type { StoredEntry } from '../corpus/line.ts'
import { createRouter } from '../router.ts'
import { evaluateRouter } from './evaluate.ts'
import { fitActivationThreshold, fitKnnThresholds } from './fit-thresholds.ts'
import { createProblemList, embedLabelledTexts } from './samples.ts'

const KNN = { ...SETTINGS, classifier: 'knn', knn: { embeddingModel: 'words', k: 3, similarityThreshold: 0.1 } }

/** Texts of three topics with words of their own. */
const CORPUS = [
  ['fix the bug of my program', 'code'],
  ['the program has a bug, fix it', 'code'],
  ['my program has a bug', 'code'],
  ['prove that the sum is even', 'math'],
  ['the sum of the proof is even', 'math'],
  ['prove the even sum', 'math'],
  ['hello friend, good morning', 'chat'],
  ['good morning my friend', 'chat'],
  ['hello, good friend', 'chat'],
].map(([text = '', label = '']): StoredEntry => {
  const vector = embedWords(text)
  return { text, labels: [label], vector, embeddingModel: 'words', embeddingFingerprint: 'f' }
})

const toLines = (texts: readonly unknown[]) => texts.map((text) => JSON.stringify(text))
const STRANGE = ['zxqv wkjy', 'qqyy xxzz vv', 'jjkk zz ww', 'vvqq kkxx', 'yyww jjqq zx', 'kwv zzyx']

async function fit(lines: readonly string[], settings = KNN) {
  const embedder = createWordEmbedder()
  const { texts, problems } = await embedLabelledTexts(lines, { settings, embedder })
  return { report: await fitKnnThresholds(CORPUS, { settings, texts }), problems, embedder }
}

describe('thresholds of knn', () => {
  it('are the highest similarity of those that do equally well, and the present vote', async () => {
    const settings = { ...KNN, knn: { ...KNN.knn, similarityThreshold: 0.99, voteThreshold: 0.35 } }
    const { proposed, current, hasGain } = await fitKnnThresholds(CORPUS, { settings })
    expect([hasGain, proposed.accuracy]).toEqual([true, 1])
    expect(current.accuracy).toBeLessThan(1)
    expect(proposed.thresholds.voteThreshold).toBe(0.35)
    expect(proposed.thresholds.similarityThreshold).toBeGreaterThanOrEqual(0.3)
    // tried in steps of 0.05
    expect(Math.round(proposed.thresholds.similarityThreshold * 20) / 20).toBe(proposed.thresholds.similarityThreshold)
  })

  it('stay where no others are better', async () => {
    const { proposed, current, hasGain, changes } = await fitKnnThresholds(CORPUS, { settings: KNN })
    expect([hasGain, changes, proposed]).toEqual([false, [], current])
    expect(proposed.thresholds.similarityThreshold).toBe(0.1)
  })

  it('learn from texts without labels from which similarity on a prompt belongs to the corpus', async () => {
    const settings = { ...KNN, knn: { ...KNN.knn, similarityThreshold: 0 } }
    const { report, embedder } = await fit(toLines(STRANGE.map((text) => ({ text, labels: [] }))), settings)
    expect(embedder.texts).toHaveLength(STRANGE.length)
    expect(report.sampleCount).toBe(CORPUS.length + STRANGE.length)
    expect([report.hasGain, report.outOfScope]).toEqual([true, { total: STRANGE.length, correct: STRANGE.length }])
    expect(report.proposed.accuracy).toBe(1)
    expect(report.current.accuracy).toBeLessThan(1)
    expect(report.changes.every(({ served }) => served === 'spare')).toBe(true)
  })

  it('count texts with several labels, which texts with one label do not find', async () => {
    const both = { text: 'fix the program that has to prove the even sum', labels: ['math', 'code'] }
    const { report } = await fit(toLines([both]))
    expect(report.severalLabels).toEqual({ total: 1, correct: expect.any(Number) })
    const known = [...CORPUS, ...Array.from({ length: 3 }, (_, index) => ({ ...both, text: `${both.text} ${index}` }))]
    const entries = known.map((entry) => ({ ...CORPUS[0], ...entry, vector: embedWords(entry.text) }) as StoredEntry)
    const settings = { ...KNN, knn: { ...KNN.knn, k: 2 } }
    const { severalLabels } = await fitKnnThresholds(entries, { settings })
    expect(severalLabels).toEqual({ total: 3, correct: 3 })
  })

  it('pass over entries of the corpus whose vectors cannot be compared, and refuse such texts', async () => {
    const odd: StoredEntry = { ...CORPUS[0], text: 'odd', vector: Float32Array.of(1) } as StoredEntry
    expect((await fitKnnThresholds([...CORPUS, odd], { settings: KNN })).sampleCount).toBe(CORPUS.length)
    const texts = [{ text: 'x', labels: [], vector: Float32Array.of(1, 2) }]
    await expect(fitKnnThresholds(CORPUS, { settings: KNN, texts })).rejects.toMatchObject({ code: 'router_samples' })
  })

  it('do not let a text of the file that is in the corpus vote for itself', async () => {
    const texts = CORPUS.map(({ text, labels }) => ({ text, labels }))
    const { report } = await fit(toLines(texts))
    expect(report.current.accuracy).toBe((await fitKnnThresholds(CORPUS, { settings: KNN })).current.accuracy)
  })
})

describe('lines of labelled texts', () => {
  it.each([
    ['garbage', 'is not text with labels or a model'],
    ['7', 'is not text with labels or a model'],
    ['null', 'is not text with labels or a model'],
    ['{"text": 5, "labels": []}', 'is not text with labels or a model'],
    ['{"text": "x"}', 'is not text with labels or a model'],
    ['{"text": "x", "labels": "code"}', 'is not text with labels or a model'],
    ['{"text": "x", "labels": [7]}', 'is not text with labels or a model'],
    ['{"text": "x", "labels": ["code", "cod"]}', 'names "cod", which is not a label of policies'],
  ])('%s is named: %s', async (line, problem) => {
    const { problems } = await fit(['', line, '{"text": "fix the program", "labels": ["code", "code"]}'])
    expect(problems).toEqual([{ line: 2, problem }])
    const router = createRouter({ name: 'auto', settings: { ...KNN, fallback: 'spare' } })
    expect(await evaluateRouter(router, { lines: [line] })).toMatchObject({ total: 0, problemCount: 1 })
  })

  it('are ten thousand at most, and the first one beyond is named', async () => {
    const lines = toLines(Array.from({ length: 10_001 }, (_, index) => ({ text: `t${index}`, labels: ['code'] })))
    const embedder = { embed: async (texts: readonly string[]) => texts.map(() => [1]) }
    const { texts, problems } = await embedLabelledTexts(lines, { settings: KNN, embedder })
    expect(texts).toHaveLength(10_000)
    expect(JSON.stringify(problems)).toContain('is beyond the 10000 texts that are embedded')
    const { texts: all, problems: none } = await embedLabelledTexts(lines.slice(1), { settings: KNN, embedder })
    expect([all.length, JSON.stringify(none).includes('beyond')]).toEqual([10_000, false])
  })

  it('of which the model makes no vector are named', async () => {
    const embedder = { embed: async (texts: readonly string[]) => texts.map((text) => (text === 'x\n' ? [0] : [1])) }
    const lines = toLines(['a', 'x', 'b'].map((text) => ({ text, labels: [] })))
    const { texts, problems } = await embedLabelledTexts(lines, { settings: KNN, embedder })
    expect([texts.map(({ text }) => text), problems]).toEqual([
      ['a', 'b'],
      [{ line: 2, problem: 'has no usable vector' }],
    ])
  })
})

describe('the activation threshold', () => {
  const text = (labels: readonly string[], scores: readonly number[]) => ({
    labels,
    labelScores: SETTINGS.policies.map(({ label }, index) => ({ label, score: scores[index] ?? 0 })),
  })

  it.each([
    ['1.0', 1],
    ['25', 25],
    ['1000', 1_000],
  ])('follows the scores of a ranking model up to %s', (_name, top) => {
    const settings = { ...SETTINGS, classifier: 'colbert', activationThreshold: 0.01 * top }
    const texts = [
      text(['code'], [top, top * 0.5, top * 0.2]),
      text(['code', 'math'], [top * 0.9, top * 0.8, top * 0.3]),
      text(['math'], [top * 0.4, top * 0.95, top * 0.1]),
    ]
    const { proposed, hasGain } = fitActivationThreshold(texts, { settings })
    expect([hasGain, proposed.exactLabels]).toEqual([true, 1])
    expect(proposed.thresholds).toBeGreaterThan(top * 0.5)
    expect(proposed.thresholds).toBeLessThanOrEqual(top * 0.8)
  })

  it.each([
    [0.5, 0.17],
    [1, 0.32],
    [2, 0.64],
  ])('is one of a hundred steps up to the highest score, or up to 1: %d', (top, proposed) => {
    const settings = { ...SETTINGS, classifier: 'colbert', activationThreshold: 0.01 }
    const texts = [text(['code'], [top, top * 0.3, 0]), text(['math'], [top * 0.2, top * 0.9, 0])]
    expect(fitActivationThreshold(texts, { settings }).proposed.thresholds).toBe(proposed)
  })

  it('stays where all others do as well, on or off the steps', () => {
    for (const activationThreshold of [0.5, 0.333]) {
      const settings = { ...SETTINGS, activationThreshold }
      const report = fitActivationThreshold([text(['code'], [1, 0, 0])], { settings })
      expect([report.hasGain, report.proposed.thresholds]).toEqual([false, activationThreshold])
    }
  })

  it('is fitted to models where lines name them, and to no text that the classifier failed on', async () => {
    const settings = { ...SETTINGS, classifier: 'decisions', activationThreshold: 0.9 }
    const router = createRouter({
      name: 'auto',
      settings,
      decisionModel: {
        async decide({ prompt, questions }) {
          if (prompt.includes('fail')) throw new Error('no')
          return questions.map(({ id, label }) => ({ id, probability: prompt.includes(label) ? 0.7 : 0.2 }))
        },
      },
    })
    const lines = toLines([
      { text: 'some code', model: 'mid' },
      { text: 'a chat', model: 'small' },
      { text: 'nothing', labels: [] },
      { text: 'fail', labels: [] },
    ])
    const { scored, failedCount, correct } = await evaluateRouter(router, { lines })
    expect([scored.length, failedCount, correct]).toEqual([3, 1, 2])
    const report = fitActivationThreshold(scored, { settings })
    expect(report).toMatchObject({
      hasGain: true,
      proposed: { accuracy: 1, exactLabels: 1 },
      outOfScope: { total: 1, correct: 1 },
      severalLabels: { total: 0, correct: 0 },
      labels: [],
    })
    expect(report.proposed.thresholds).toBeLessThanOrEqual(0.7)
  })
})

it('the first hundred problems are named, and all are counted', () => {
  const problems = createProblemList()
  for (let line = 1; line <= 100; line++) problems.add(line, 'is odd')
  expect([problems.named.length, problems.named.at(-1), problems.count]).toEqual([
    100,
    { line: 100, problem: 'is odd' },
    100,
  ])
  problems.add(101, 'is odd')
  expect([problems.named.length, problems.count]).toEqual([100, 101])
})
