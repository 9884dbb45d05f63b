import { hash } from 'node:crypto'
import { type FilterOutcome, toDetectionId } from '@svc/pii'
import { listRecordedFindings, type PiiOrigin } from '@svc/pii/audit'
import type { PiiAuditEvent } from '../audit/audit-event.ts'

/** Where and for whom something was found. */
export interface Occasion {
  readonly origin: PiiOrigin
  readonly correlationId: string
  readonly userId: string
}

const HASH_DIGITS = 8

/**
 * What `createHashPrefix` of the library gives, at once: its promises cost several times what they wait for, and a long
 * document has thousands of values.
 */
export function hashPrefix(value: string): string {
  return hash('sha256', value, 'hex').slice(0, HASH_DIGITS)
}

function entry(occasion: Occasion, patternId: string, facts: PiiAuditEvent['facts']): PiiAuditEvent {
  const { origin, correlationId, userId } = occasion
  return { kind: 'pii', origin, correlationId, userId, patternId, facts: { direction: 'in', ...facts } }
}

/**
 * One event for each span that was found, in the order of the request; where there are more than a log keeps, those that
 * block come first. Offsets are UTF-8 bytes of the segment.
 */
export function foundEntries(
  occasion: Occasion,
  outcome: Pick<FilterOutcome, 'segments'>,
  pathOf: (index: number) => string,
): PiiAuditEvent[] {
  return listRecordedFindings(outcome).map(({ span, byteOffset, length, index, value }) =>
    entry(occasion, toDetectionId(span), {
      action: span.action,
      score: span.score,
      hash_prefix: hashPrefix(value),
      byte_offset: byteOffset,
      length,
      segment: pathOf(index),
    }),
  )
}

/** A detector could not be had. */
export function unavailableEntry(occasion: Occasion): PiiAuditEvent {
  return entry(occasion, '__ner_unavailable__', { action: 'block' })
}

/** A request had content that nobody scans, and its model forbids that. */
export function unscannedMediaEntry(occasion: Occasion): PiiAuditEvent {
  return entry(occasion, '__unscanned_media__', { action: 'block', byte_offset: 0, length: 0 })
}

/** A request had token ids in the place of text; they went on as they were. */
export function unscannedTokensEntry(occasion: Occasion, path: string): PiiAuditEvent {
  return entry(occasion, '__unscanned_tokens__', { action: 'allow', byte_offset: 0, length: 0, segment: path })
}
