import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { piiDetectionBlock } from './config.ts'
import type { Detector, JudgedDetection } from './detector.ts'
import { filterSegments } from './filter.ts'
import { createNerDetector } from './ner/ner-detector.ts'
import { convertOffsets } from './offsets.ts'
import { createPolicy } from './policy.ts'
import type { TokenClassifier, TokenEntity } from './ports.ts'
import { maskText } from './redact.ts'
import { toDetectionId } from './span.ts'

type Entity = readonly [group: string, start: number, end: number, score: number]

interface SpanRow {
  readonly start: number
  readonly end: number
  readonly id: string
  readonly action: string
  readonly score: number
  readonly hash_prefix: string
}

/** A case of the reference: detectors over segments; offsets of entities count bytes of the joined document. */
interface ReferenceCase {
  readonly name: string
  readonly segments: readonly string[]
  readonly detectors: readonly (object & { source?: string; error?: string; entities: readonly Entity[] })[]
  readonly results?: readonly {
    readonly redacted: string
    readonly spans: readonly SpanRow[]
    readonly blocked: boolean
    readonly masked: boolean
  }[]
  readonly blocked?: boolean
  readonly expected?: {
    readonly load_error?: boolean
    readonly status?: number
    readonly type?: string
    readonly ids?: readonly (readonly string[])[]
    readonly redacted?: readonly string[]
  }
}

/** A case by rule: one detector over one text; offsets count bytes of the text, `null` is a block. */
interface RuleCase {
  readonly name: string
  readonly made: 'by rule'
  readonly text: string
  readonly config: object
  readonly entities: readonly Entity[]
  readonly redacted: string | null
}

const cases = readFileSync(new URL('__fixtures__/ner-spans.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .slice(1)
  .map((line): ReferenceCase | RuleCase => JSON.parse(line))
const byReference = cases.flatMap((record) => ('segments' in record ? [record] : []))
const byRule = cases.flatMap((record) => ('made' in record ? [record] : []))

function toEntities(rows: readonly Entity[]): TokenEntity[] {
  return rows.map(([group, start, end, score]) => ({ group, start, end, score }))
}

/** A detector that reports the entities of its record. */
function toDetector(record: ReferenceCase['detectors'][number]): Detector {
  const settings = piiDetectionBlock.parse(record)
  if (record.source === 'pattern') {
    const policy = createPolicy(settings)
    return {
      name: 'pattern',
      async detect({ text }) {
        const units = (offset: number) => convertOffsets(text, [offset], { from: 'utf8', to: 'utf16' })[0] ?? 0
        return record.entities.map(([group, start, end, score]): JudgedDetection => {
          return { group, start: units(start), end: units(end), score, source: 'pattern', action: policy(group) }
        })
      },
    }
  }
  const classifier: TokenClassifier = {
    async classify() {
      if (record.error !== undefined) throw new Error(record.error)
      return toEntities(record.entities)
    },
  }
  return createNerDetector({ name: 'ner', settings, classifier })
}

function filterCase({ segments, detectors }: ReferenceCase) {
  const texts = { segments: segments.map((text) => ({ text })) }
  return filterSegments(texts, { detectors: detectors.map(toDetector) })
}

/** A row in the reference's form: bytes, id, hash of the matched text. */
function toRow(text: string, { start, end, group, source, action, score }: JudgedDetection): SpanRow {
  const [from = 0, to = 0] = convertOffsets(text, [start, end], { from: 'utf16', to: 'utf8' })
  const hash = createHash('sha256').update(text.slice(start, end)).digest('hex').slice(0, 8)
  return { start: from, end: to, id: toDetectionId({ source, group }), action, score: round(score), hash_prefix: hash }
}

function round(score: number): number {
  return Math.round(score * 1e6) / 1e6
}

it('the file has all of its cases', () => {
  expect([byReference.length, byRule.length]).toEqual([70, 42])
})

describe('detections of the reference', () => {
  it.each(byReference.filter(({ expected }) => expected?.load_error))('$name is refused at load', (record) => {
    expect(() => record.detectors.map(toDetector)).toThrow()
  })

  it.each(byReference.filter(({ expected }) => expected?.status === 503))('$name fails closed', async (record) => {
    await expect(filterCase(record)).rejects.toMatchObject({
      kind: 'unavailable',
      details: { type: record.expected?.type },
    })
  })

  const answered = byReference.filter(({ expected }) => !expected?.load_error && expected?.status === undefined)
  it.each(answered)('$name', async (record) => {
    const { results = [], expected, blocked } = record
    const outcome = await filterCase(record)
    expect(outcome.blocked).toBe(blocked)
    expect(outcome.segments).toHaveLength(results.length)
    for (const [index, result] of results.entries()) {
      const { scanned = '', spans = [], rewritten } = outcome.segments[index] ?? {}
      const ids = expected?.ids?.[index]
      const redacted = expected?.redacted?.[index] ?? result.redacted
      // When another id wins, its score comes with it.
      const rows = result.spans.map((row, at) =>
        ids === undefined ? { ...row, score: round(row.score) } : { ...row, id: ids[at], score: expect.any(Number) },
      )
      expect(spans.map((span) => toRow(scanned, span))).toEqual(rows)
      expect(spans.some(({ action }) => action === 'mask')).toBe(result.masked)
      expect(spans.some(({ action }) => action === 'block')).toBe(result.blocked)
      expect(maskText(scanned, spans)).toBe(redacted)
      // The reference also writes masks beside a blocked segment; here nothing of the request is forwarded.
      expect(rewritten).toBe(outcome.blocked || redacted === record.segments[index] ? undefined : redacted)
    }
  })
})

/**
 * Reports entities of the original as a recogniser would see them in the shielded text: the parts between placeholders
 * are the same in both, in the same order.
 */
function shieldedClassifier(original: string, rows: readonly Entity[]): TokenClassifier {
  return {
    async classify(text) {
      const parts = text.split('[PROTECTED]')
      const toShielded = (unit: number): number => {
        let before = 0
        let shielded = 0
        for (const [index, part] of parts.entries()) {
          const start = index === 0 ? 0 : original.indexOf(part, before)
          const begin = index === parts.length - 1 ? original.length - part.length : start
          if (unit < begin) return shielded - (unit === before ? '[PROTECTED]'.length : 0)
          if (unit <= begin + part.length) return shielded + unit - begin
          before = begin + part.length
          shielded += part.length + '[PROTECTED]'.length
        }
        return text.length
      }
      return rows.map(([group, start, end, score]) => {
        const units = convertOffsets(original, [start, end], { from: 'utf8', to: 'utf16' }).map(toShielded)
        const [from = 0, to = 0] = convertOffsets(text, units, { from: 'utf16', to: 'utf8' })
        return { group, start: from, end: to, score }
      })
    },
  }
}

describe('words and protected terms', () => {
  it.each(byRule)('$name', async ({ text, config, entities, redacted }) => {
    const settings = piiDetectionBlock.parse(config)
    const detector = createNerDetector({ name: 'ner', settings, classifier: shieldedClassifier(text, entities) })
    const { blocked, segments } = await filterSegments({ segments: [{ text }] }, { detectors: [detector] })
    expect(blocked ? null : (segments[0]?.rewritten ?? text)).toBe(redacted)
  })
})
