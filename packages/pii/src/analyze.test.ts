import { describe, expect, it } from 'vitest'
import { wordDetector } from './__fixtures__/detectors.ts'
import { analyzeText, redactText } from './analyze.ts'

const TEXT = 'é🚲 ada and bo'
const ada = wordDetector('ada')
const bo = wordDetector('bo', { action: 'allow', source: 'pattern', score: 1 })

describe('analyzeText', () => {
  it('reports findings with byte offsets, and never the text itself', async () => {
    const { entities, blocked } = await analyzeText(TEXT, { detectors: [bo, ada] })
    expect(blocked).toBe(false)
    expect(entities).toEqual([
      { entityType: 'ADA', source: 'ner', start: 7, end: 10, score: 0.9, action: 'mask' },
      { entityType: 'BO', source: 'pattern', start: 15, end: 17, score: 1, action: 'allow' },
    ])
  })

  it.each([
    ['utf8', 7, 10],
    ['utf16', 4, 7],
    ['codepoint', 3, 6],
  ] as const)('counts %s', async (offsetEncoding, start, end) => {
    const { entities } = await analyzeText(TEXT, { detectors: [ada], offsetEncoding })
    expect(entities).toMatchObject([{ start, end }])
  })

  it('changes nothing: a finding to be masked is only reported', async () => {
    const analysis = await analyzeText(TEXT, { detectors: [ada] })
    expect(Object.keys(analysis).sort()).toEqual(['blocked', 'entities', 'scanned', 'spans'])
    expect(analysis.scanned.slice(analysis.spans[0]?.start, analysis.spans[0]?.end)).toBe('ada')
  })
})

describe('redactText', () => {
  it('gives the text with its masks', async () => {
    const redaction = await redactText(TEXT, { detectors: [ada, bo] })
    expect(redaction).toMatchObject({ blocked: false, masked: true, redactedText: 'é🚲 [REDACTED:ner:ADA] and bo' })
  })

  it('returns the original text when nothing is masked', async () => {
    expect(await redactText(TEXT, { detectors: [bo] })).toMatchObject({ masked: false, redactedText: TEXT })
    expect(await redactText('', { detectors: [bo] })).toMatchObject({ masked: false, redactedText: '', entities: [] })
  })

  it('gives no text when it is blocked', async () => {
    const redaction = await redactText(TEXT, { detectors: [ada, wordDetector('bo', { action: 'block' })] })
    expect(redaction.blocked).toBe(true)
    expect(redaction).not.toHaveProperty('redactedText')
    expect(redaction.entities.map(({ action }) => action)).toEqual(['mask', 'block'])
  })
})
