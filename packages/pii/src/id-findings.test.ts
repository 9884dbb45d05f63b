import { parseJson } from '@svc/json'
import { describe, expect, it } from 'vitest'
import type { Detector } from './detector.ts'
import { collectSegments } from './documents/collect-segments.ts'
import { filterSegments } from './filter.ts'
import { createPatternDetector } from './pattern/late-detector.ts'
import { STRUCTURED_KINDS } from './pattern/structured/catalogue.ts'
import { STRUCTURED_NAMES, toStructuredGroup } from './pattern/structured-names.ts'

const patterns = createPatternDetector({
  name: 'patterns',
  settings: {
    builtins: ['credit_card', 'email', 'phone', 'ip_address', 'iban', 'google_api_key'],
    patterns: [{ name: 'TICKET', match: 'tick-[0-9]{4}' }],
  },
})
/** Finds the given texts everywhere, as a recogniser of entities would. */
const named = (group: string, word: string): Detector => ({
  name: 'ner',
  detect: ({ text }) => {
    const start = text.indexOf(word)
    return start < 0 ? [] : [{ start, end: start + word.length, group, source: 'ner', score: 0.9, action: 'mask' }]
  },
})

async function filtered(id: string, detectors: readonly Detector[]): Promise<readonly string[]> {
  const body = { messages: [{ role: 'tool', tool_call_id: id, content: id }] }
  const { segments, messages } = collectSegments(parseJson(Buffer.from(JSON.stringify(body))), 'chat-completions')
  const outcome = await filterSegments({ segments, messages }, { detectors })
  return outcome.segments.map(({ scanned, rewritten }) => rewritten ?? scanned)
}

describe('an id', () => {
  it.each([
    ['ada@host.example', '[REDACTED:pattern:EMAIL]'],
    ['call_tick-1234', 'call_[REDACTED:pattern:TICKET]'],
    [`AIza${'b7'.repeat(17)}c`, '[REDACTED:pattern:GOOGLE_API_KEY]'],
  ])('%s is masked as in a text', async (id, masked) => {
    expect(await filtered(id, [patterns])).toEqual([masked, masked])
  })

  it.each([
    ['4111111111111111', '[REDACTED:pattern:CREDITCARD]'],
    ['192.168.17.4', '[REDACTED:pattern:IP_ADDRESS]'],
    ['+49 30 901820', '[REDACTED:pattern:PHONE]'],
    ['DE89370400440532013000', '[REDACTED:pattern:IBAN]'],
  ])('%s stays, as no personal number', async (id, masked) => {
    expect(await filtered(id, [patterns])).toEqual([id, masked])
  })

  it("drops a recogniser's names, and keeps addresses and secrets", async () => {
    expect(await filtered('Paris', [named('LOCATION', 'Paris')])).toEqual(['Paris', 'Paris'])
    for (const group of ['EMAIL', 'EMAIL_ADDRESS', 'PASSWORD', 'API_KEY', 'SECRET'])
      expect((await filtered('hush', [named(group, 'hush')]))[0]).toBe(`[REDACTED:ner:${group}]`)
  })
})

it('knows the groups of all structured texts', () => {
  expect(STRUCTURED_NAMES.map(toStructuredGroup)).toEqual(STRUCTURED_KINDS.map(({ group }) => group))
})
