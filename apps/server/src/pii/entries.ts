import { createHash } from 'node:crypto'
import { detectionId, type FilterOutcome, type JudgedDetection } from '@svc/pii'
import type { AuditEntry } from '../audit/pii-events.ts'

/** Where and for whom something was found. */
export interface Occasion {
  readonly origin: 'middleware' | 'proxy' | 'pii_analyze' | 'pii_redact'
  readonly correlationId: string
  readonly userId: string
}

/** More events of one request than the log keeps in all are not made. */
const MAX_ENTRIES = 10_000

const HASH_DIGITS = 8

/** The first digits of the SHA-256 of a value, by which the same value is known again. */
export function hashPrefix(value: string): string {
  return createHash('sha256').update(value, 'utf8').digest('hex').slice(0, HASH_DIGITS)
}

function entry(occasion: Occasion, patternId: string, facts: AuditEntry['facts']): AuditEntry {
  const { origin, correlationId, userId } = occasion
  return { kind: 'pii', origin, correlationId, userId, patternId, facts: { direction: 'in', ...facts } }
}

/** One event for each span that was found, in the order of the request. Offsets are UTF-8 bytes of the segment. */
export function foundEntries(
  occasion: Occasion,
  { segments }: Pick<FilterOutcome, 'segments'>,
  pathOf: (index: number) => string,
): AuditEntry[] {
  const entries: AuditEntry[] = []
  for (const [index, { scanned, spans }] of segments.entries()) {
    let read = 0
    let offset = 0
    for (const span of spans) {
      if (entries.length === MAX_ENTRIES) return entries
      const value = scanned.slice(span.start, span.end)
      const length = Buffer.byteLength(value)
      offset += Buffer.byteLength(scanned.slice(read, span.start))
      entries.push(
        entry(occasion, detectionId(span), {
          ...factsOf(span, value),
          byte_offset: offset,
          length,
          segment: pathOf(index),
        }),
      )
      offset += length
      read = span.end
    }
  }
  return entries
}

function factsOf({ action, score }: JudgedDetection, value: string): AuditEntry['facts'] {
  return { action, score, hash_prefix: hashPrefix(value) }
}

/** A detector could not be had. */
export function unavailableEntry(occasion: Occasion): AuditEntry {
  return entry(occasion, '__ner_unavailable__', { action: 'block' })
}

/** A request had content that nobody scans, and its model forbids that. */
export function unscannedMediaEntry(occasion: Occasion): AuditEntry {
  return entry(occasion, '__unscanned_media__', { action: 'block', byte_offset: 0, length: 0 })
}

/** A request had token ids in the place of text; they went on as they were. */
export function unscannedTokensEntry(occasion: Occasion, path: string): AuditEntry {
  return entry(occasion, '__unscanned_tokens__', { action: 'allow', byte_offset: 0, length: 0, segment: path })
}
