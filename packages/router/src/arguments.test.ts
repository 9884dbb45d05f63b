import { describe, expect, it } from 'vitest'
import * as corpus from './corpus/index.ts'
import * as fit from './fit/index.ts'
import * as root from './index.ts'
import { createCorpusFiles } from './node.ts'
import { createVectorIndex } from './vector/vector-index.ts'

const WRONG: readonly unknown[] = [undefined, null, {}, 7, true]
const refusal = expect.objectContaining({ code: 'invalid_argument', message: expect.stringMatching(/ must be /) })

/** Calls a function without the checks of its types, and awaits the result. */
const call = async (run: unknown, ...args: unknown[]): Promise<unknown> =>
  (run as (...args: unknown[]) => unknown)(...args)

const settings: root.RouterSettings = {
  classifierModel: 'judge',
  policies: [{ label: 'code', description: 'Writing programs' }],
  candidates: [{ model: 'small', labels: ['code'] }],
  fallback: 'spare',
}
const scorer: root.Scorer = { score: async () => [{ logProbability: -1, tokenCount: 1 }] }

/** Settings that no block of a model file gives. */
const WRONG_SETTINGS: readonly unknown[] = [
  ...WRONG,
  { ...settings, policies: 'code' },
  { ...settings, policies: [null] },
  { ...settings, policies: [{ label: 7, description: 'x' }] },
  { ...settings, candidates: undefined },
  { ...settings, candidates: [{ model: 'small' }] },
  { ...settings, candidates: [{ model: 'small', labels: [7] }] },
  { ...settings, fallback: 7 },
  { ...settings, classifierModel: {} },
  { ...settings, knn: {} },
  { ...settings, embeddingCache: 'on' },
]

describe('arguments of another type', () => {
  it.each(WRONG_SETTINGS)('%j are no settings', async (wrong) => {
    await expect(call(root.createRouter, { name: 'auto', settings: wrong, scorer })).rejects.toEqual(refusal)
    await expect(call(root.validateRouterSettings, wrong)).rejects.toEqual(refusal)
    await expect(call(root.resolveRouterSettings, 'auto', wrong)).rejects.toEqual(refusal)
    await expect(call(root.resolveCorpusName, 'auto', wrong)).rejects.toEqual(refusal)
    await expect(call(fit.fitActivationThreshold, [], { settings: wrong })).rejects.toEqual(refusal)
    await expect(call(fit.fitKnnThresholds, [], { settings: wrong })).rejects.toEqual(refusal)
    await expect(call(fit.embedLabelledTexts, [], { settings: wrong })).rejects.toEqual(refusal)
  })

  it.each([...WRONG, 'text'])('%o in the place of options and ports is refused', async (wrong) => {
    await expect(call(root.createRouter, wrong)).rejects.toEqual(refusal)
    await expect(call(corpus.createCorpora, wrong)).rejects.toEqual(refusal)
    await expect(call(corpus.createCorpora, { store: wrong })).rejects.toEqual(refusal)
    await expect(call(createCorpusFiles, wrong)).rejects.toEqual(refusal)
  })

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '7', null])('%o is not a bound', async (wrong) => {
    const store = createCorpusFiles({ folder: 'unused' })
    await expect(call(corpus.createCorpora, { store, maxEntries: wrong })).rejects.toEqual(refusal)
    await expect(call(createVectorIndex, { maxEntries: wrong })).rejects.toEqual(refusal)
    if (wrong === 1.5 || wrong === '7' || wrong === Number.POSITIVE_INFINITY) return
    await expect(call(createVectorIndex, { maxBytes: wrong })).rejects.toEqual(refusal)
  })

  it.each([...WRONG, ''])('%o is not a folder', async (wrong) => {
    await expect(call(createCorpusFiles, { folder: wrong })).rejects.toEqual(refusal)
  })

  it.each([...WRONG, { turns: 'text', text: 7 }])('%o is not a prompt: nothing is decided', async (wrong) => {
    await expect(call(root.createRouter({ name: 'auto', settings, scorer }).decide, wrong)).rejects.toEqual(refusal)
  })

  it.each([...WRONG, 'text', [7], [null]].map((texts) => [texts]))('%o are no texts of a probe', async (wrong) => {
    await expect(call(root.createProbe, wrong)).rejects.toEqual(refusal)
  })

  it.each(WRONG)('%o is not text of an entry', async (wrong) => {
    await expect(call(corpus.createEntryId, wrong)).rejects.toEqual(refusal)
    await expect(call(corpus.createFingerprint, wrong)).rejects.toEqual(refusal)
  })

  it.each([null, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, '8'])(
    '%o limits nothing and is refused',
    async (wrong) => {
      await expect(call(root.createCallLimit, wrong)).rejects.toEqual(refusal)
      for (const name of ['timeoutMs', 'cacheTimeoutMs', 'maxCacheEntries']) {
        await expect(call(root.createRouter, { name: 'auto', settings, scorer, [name]: wrong })).rejects.toEqual(
          refusal,
        )
      }
    },
  )

  it.each([undefined, null, 7, {}])('%o is not a body: it asks for nothing', async (wrong) => {
    await expect(call(root.extractProbe, wrong, 'chat')).resolves.toBeUndefined()
  })
})
