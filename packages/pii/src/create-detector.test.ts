import { describe, expect, it } from 'vitest'
import { createDetector } from './create-detector.ts'
import { filterSegments } from './filter.ts'
import type { TokenClassifier } from './ports.ts'
import type { DetectionSettings } from './settings.ts'

const TEXT = 'Ada: tick-1234'
const patterns = [{ name: 'TICKET', match: 'tick-[0-9]+' }]
const classifier: TokenClassifier = {
  classify: async () => [{ start: 0, end: 3, group: 'NAME', score: 0.9 }],
}

async function redact(
  settings: DetectionSettings,
  recogniser?: TokenClassifier,
  text = TEXT,
): Promise<string | undefined> {
  const detectors = [createDetector({ name: 'd', settings, classifier: recogniser })]
  const { segments } = await filterSegments({ segments: [{ text }] }, { detectors })
  return segments[0]?.rewritten
}

describe('a detector runs', () => {
  it('patterns', async () => {
    expect(await redact({ patterns })).toBe('Ada: [REDACTED:pattern:TICKET]')
  })

  it('a recogniser', async () => {
    expect(await redact({}, classifier)).toBe('[REDACTED:ner:NAME]: tick-1234')
  })

  it('both, each under the policy of the block', async () => {
    expect(await redact({ patterns }, classifier)).toBe('[REDACTED:ner:NAME]: [REDACTED:pattern:TICKET]')
    const settings: DetectionSettings = { patterns, defaultAction: 'allow', entityActions: { TICKET: 'mask' } }
    expect(await redact(settings, classifier)).toBe('Ada: [REDACTED:pattern:TICKET]')
  })

  it('patterns over the original, where terms are hidden from the recogniser', async () => {
    const hidden: DetectionSettings = { patterns, protectedTerms: ['Ada', 'tick-1234'] }
    const seen: string[] = []
    const recogniser: TokenClassifier = {
      async classify(text) {
        seen.push(text)
        return []
      },
    }
    expect(await redact(hidden, recogniser)).toBe('Ada: [REDACTED:pattern:TICKET]')
    expect(seen).toEqual(['[PROTECTED]: [PROTECTED]'])
  })
})

describe('encoded text', () => {
  const encoded = btoa('the ticket is tick-1234')
  const text = `Ada: tick-1234, ${encoded}`

  it('is looked at where the block says how', async () => {
    const settings: DetectionSettings = { patterns, encodings: ['base64'] }
    expect(await redact(settings, undefined, text)).toBe('Ada: [REDACTED:pattern:TICKET], [REDACTED:pattern:TICKET]')
  })

  it('is left alone when the patterns already match the original', async () => {
    expect(await redact({ patterns }, undefined, text)).toBe(`Ada: [REDACTED:pattern:TICKET], ${encoded}`)
  })

  it('is shown to patterns alone', async () => {
    const seen: string[] = []
    const recogniser: TokenClassifier = {
      async classify(part) {
        seen.push(part)
        return []
      },
    }
    await redact({ patterns, encodings: ['base64'] }, recogniser, text)
    expect(seen).toEqual([text])
  })
})

describe('a detector is refused', () => {
  it.each<[string, DetectionSettings]>([
    ['has nothing to find by', {}],
    ['names no built-in', { builtins: ['nothing' as 'email'] }],
    ['has a pattern without a fixed text', { patterns: [{ name: 'X', match: '[0-9]+' }] }],
    ['reads encodings for no pattern', { encodings: ['base64'] }],
    ['reads an encoding that is none', { patterns, encodings: ['rot13' as 'base64'] }],
    ['has an action that is none', { patterns, defaultAction: 'hide' as 'mask' }],
  ])('that %s', (_, settings) => {
    expect(() => createDetector({ name: 'd', settings })).toThrow(expect.objectContaining({ code: 'pii_config' }))
  })
})

it('when one tier fails, the findings of the other are no answer', async () => {
  const failing: TokenClassifier = { classify: () => Promise.reject(new Error('connection lost')) }
  await expect(redact({ patterns }, failing)).rejects.toMatchObject({ code: 'pii_ner_unavailable' })
})

it('of detectors with a general and a specific built-in, the specific one names a common finding', async () => {
  const key = `sk-ant-${'a1B2'.repeat(8)}`
  const detectors = (['provider_a_api_key', 'provider_b_api_key'] as const).map((name) =>
    createDetector({ name, settings: { builtins: [name] } }),
  )
  for (const order of [detectors, detectors.toReversed()]) {
    const { segments } = await filterSegments({ segments: [{ text: key }] }, { detectors: order })
    expect(segments[0]?.rewritten).toBe('[REDACTED:pattern:PROVIDER_B_KEY]')
  }
})
