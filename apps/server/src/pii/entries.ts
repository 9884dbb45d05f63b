import { hash } from 'node:crypto'
import { type FilterOutcome, toDetectionId } from '@svc/pii'
import { listRecordedFindings, type PiiOrigin } from '@svc/pii/audit'
import type { PiiAuditEvent } from '../audit/audit-event.ts'

/** Request and place of findings. */
export interface Occasion {
  readonly origin: PiiOrigin
  readonly correlationId: string
  readonly userId: string
}

const HASH_DIGITS = 8

/**
 * Equals `createHashPrefix` of the library, synchronously: its promises cost several times the hashing, and a long
 * document has thousands of values.
 */
export function toHashPrefix(value: string): string {
  return hash('sha256', value, 'hex').slice(0, HASH_DIGITS)
}

function createEntry(occasion: Occasion, patternId: string, facts: PiiAuditEvent['facts']): PiiAuditEvent {
  const { origin, correlationId, userId } = occasion
  return { kind: 'pii', origin, correlationId, userId, patternId, facts: { direction: 'in', ...facts } }
}

/**
 * Creates one event for each found span, in the order of the request. When there are more than a log keeps, blocking
 * ones come first. Offsets are UTF-8 bytes of the segment.
 */
export function createFoundEntries(
  occasion: Occasion,
  outcome: Pick<FilterOutcome, 'segments'>,
  pathOf: (index: number) => string,
): PiiAuditEvent[] {
  return listRecordedFindings(outcome).map(({ span, byteOffset, length, index, value }) =>
    createEntry(occasion, toDetectionId(span), {
      action: span.action,
      score: span.score,
      hash_prefix: toHashPrefix(value),
      byte_offset: byteOffset,
      length,
      segment: pathOf(index),
    }),
  )
}

/** Creates the event of an unavailable detector. */
export function createUnavailableEntry(occasion: Occasion): PiiAuditEvent {
  return createEntry(occasion, '__ner_unavailable__', { action: 'block' })
}

/** Creates the event of a request that was refused for unscanned media. */
export function createUnscannedMediaEntry(occasion: Occasion): PiiAuditEvent {
  return createEntry(occasion, '__unscanned_media__', { action: 'block', byte_offset: 0, length: 0 })
}

/** Creates the event of a request whose token ids were not scanned and went on unchanged. */
export function createUnscannedTokensEntry(occasion: Occasion, path: string): PiiAuditEvent {
  return createEntry(occasion, '__unscanned_tokens__', { action: 'allow', byte_offset: 0, length: 0, segment: path })
}
