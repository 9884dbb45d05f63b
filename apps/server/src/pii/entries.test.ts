import type { FilteredSegment } from '@svc/pii'
import { createHashPrefix } from '@svc/pii/audit'
import type { JudgedDetection } from '@svc/pii/detectors'
import { describe, expect, it } from 'vitest'
import { createFoundEntries, toHashPrefix } from './entries.ts'

const occasion = { origin: 'middleware', correlationId: 'c', userId: 'ada' } as const

const span = (start: number, end: number, action: JudgedDetection['action'] = 'mask'): JudgedDetection => {
  return { start, end, action, group: 'NAME', source: 'ner', score: 0.9 }
}

describe('the events of findings', () => {
  it('say where it stands in its segment, in bytes', () => {
    const segments: FilteredSegment[] = [
      { scanned: 'nothing', spans: [] },
      { scanned: 'é🚲 ada, bo', spans: [span(4, 7), span(9, 11, 'allow')] },
    ]
    const entries = createFoundEntries(occasion, { segments }, (index) => `messages[${index}]`)
    const common = { kind: 'pii', ...occasion, patternId: 'ner:NAME' }
    const facts = { direction: 'in', score: 0.9, segment: 'messages[1]' }
    expect(entries).toEqual([
      { ...common, facts: { ...facts, action: 'mask', byte_offset: 7, length: 3, hash_prefix: toHashPrefix('ada') } },
      { ...common, facts: { ...facts, action: 'allow', byte_offset: 12, length: 2, hash_prefix: toHashPrefix('bo') } },
    ])
  })

  it('are the blocking ones when there are more than a log keeps', () => {
    const spans = Array.from({ length: 12_000 }, (_, index) => {
      return span(2 * index, 2 * index + 1, index === 11_000 ? 'block' : 'mask')
    })
    const entries = createFoundEntries(occasion, { segments: [{ scanned: 'ab'.repeat(12_000), spans }] }, () => 'text')
    expect(entries).toHaveLength(10_000)
    expect(entries[0]?.facts).toMatchObject({ action: 'block', byte_offset: 22_000 })
  })
})

it('the prefix of a hash is the one of the library', async () => {
  const fromLibrary = createHashPrefix()
  for (const value of ['', 'ada@host.example', 'Žižek 東京 🚲'])
    expect(toHashPrefix(value)).toBe(await fromLibrary(value))
})
