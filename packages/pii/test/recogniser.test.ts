import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import { InferenceSession, Tensor } from 'onnxruntime-node'
import { beforeAll, describe, expect, it } from 'vitest'
import { createDetector } from '../src/detectors.ts'
import type { TokenClassifier } from '../src/index.ts'
import { redact } from '../src/index.ts'
import { createRecogniser, type RecogniserOptions } from '../src/recogniser.ts'

const graphFile = demoModels.find(({ name }) => name === 'demo-ner')?.file ?? ''
const read = (name: string) => JSON.parse(readFileSync(join(dirname(graphFile), '..', name), 'utf8'))
const { signal } = new AbortController()

let parts: RecogniserOptions
let classifier: TokenClassifier
beforeAll(async () => {
  const session = await InferenceSession.create(graphFile, { intraOpNumThreads: 1, logSeverityLevel: 3 })
  const [config, tokenizer, tokenizerConfig] = ['config.json', 'tokenizer.json', 'tokenizer_config.json'].map(read)
  parts = { session, Tensor, config, tokenizer, tokenizerConfig, aggregation: 'max' }
  classifier = createRecogniser(parts)
})

describe('a recogniser from a model and an engine', () => {
  it('masks names in a text, beside patterns', async () => {
    const settings = { minScore: 0.4, builtins: ['email'] } as const
    const detectors = [createDetector({ name: 'people', settings, classifier })]
    const text = await redact('Grüße! My name is Anna Huber, I live in Berlin, anna@lab.example', { detectors })
    expect(text).toMatch(/My name is \[REDACTED:ner:PER\], I live in \[REDACTED:ner:LOC\], \[REDACTED:pattern/)
  })

  it('tells its groups, so that settings of others are refused', () => {
    expect(classifier.groups).toEqual(expect.arrayContaining(['PER', 'LOC', 'ORG']))
    const settings = { entityMinScores: { PRE: 0.5 } }
    expect(() => createDetector({ name: 'people', settings, classifier })).toThrow('entity_min_scores["PRE"]')
  })

  it('reports places in bytes, and scores of 0 to 1 that are high enough', async () => {
    const text = '👋 é My name is Anna Huber.'
    const found = await classifier.classify(text, { minScore: 0.4, signal })
    const bytes = Buffer.from(text)
    expect(found.map(({ start, end, group }) => [group, bytes.subarray(start, end).toString()])).toEqual([
      ['PER', 'Anna Huber'],
    ])
    expect(found[0]?.score).toBeGreaterThan(0.4)
    expect(found[0]?.score).toBeLessThanOrEqual(1)
    expect(await classifier.classify(text, { minScore: 1, signal })).toEqual([])
  })

  it('reads texts longer than its input to the end, and stops on a signal', async () => {
    const text = `${'The river is long and the road is wet. '.repeat(400)}My name is Anna Huber.`
    const found = await classifier.classify(text, { minScore: 0.4, signal })
    expect(found.at(-1)).toMatchObject({ group: 'PER', end: text.length - 1 })
    const stopped = AbortSignal.abort(new Error('stopped'))
    await expect(classifier.classify(text, { minScore: 0, signal: stopped })).rejects.toThrow('stopped')
  })

  it.each<[string, Partial<RecogniserOptions>]>([
    ['labels without names', { config: {} }],
    ['more labels than the graph', { config: { id2label: { 0: 'O' } } }],
    ['no tokenizer', { tokenizer: {} }],
  ])('is not made with %s', (_, wrong) => {
    expect(() => createRecogniser({ ...parts, ...wrong })).toThrow(expect.objectContaining({ code: 'bad_model_file' }))
  })

  it('is not made with unknown settings', () => {
    expect(() => createRecogniser({ ...parts, aggregation: 'mean' as 'max' })).toThrow('aggregation must be one of')
    for (const key of ['session', 'Tensor', 'config']) {
      expect(() => createRecogniser({ ...parts, [key]: null })).toThrow(`createRecogniser: ${key} must be`)
    }
    expect(() => createRecogniser({ ...parts, batchTokens: 0 })).toThrow('batchTokens must be a positive number')
  })
})
