/**
 * Events of the audit log.
 *
 * @module
 */
import type { PiiAction } from './action.ts'
import type { JudgedDetection } from './detector.ts'
import type { FilterOutcome } from './filter.ts'
import { type HashPrefix, toHex } from './hash-prefix.ts'
import { convertOffsets } from './offsets.ts'
import { toDetectionId } from './span.ts'

export { createHashPrefix, type HashPrefix } from './hash-prefix.ts'

/** Origin of a filtered text: a request, the intercepting proxy, or a call of the API. */
export type PiiOrigin = 'middleware' | 'proxy' | 'pii_analyze' | 'pii_redact'

/** Facts that all events of one request share. */
export interface AuditContext {
  readonly origin: PiiOrigin
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly correlationId?: string | undefined
  readonly userId?: string | undefined
  /** The host of an intercepted request. */
  readonly host?: string | undefined
}

/** One finding, as the audit log keeps it (§6.1). Holds neither the matched text nor the text around it. */
export interface PiiEvent extends AuditContext {
  /** `pii_` and 24 hex digits. */
  readonly id: string
  readonly kind: 'pii'
  /** The filter only scans requests. */
  readonly direction: 'in'
  /** `ner:EMAIL`, `pattern:codehost_token`, `__ner_unavailable__` or `__unscanned_media__`. */
  readonly patternId: string
  readonly action: PiiAction
  /** Offset and length in the segment's text, in bytes of UTF-8; 0 for an event without a place. */
  readonly byteOffset: number
  readonly length: number
  /** Path of the segment: `messages[3].content[1].text`. */
  readonly segment?: string | undefined
  readonly score?: number | undefined
  readonly hashPrefix?: string | undefined
}

/** Stores events. */
export interface AuditSink {
  /** Resolves when the events are stored; a refusal is sent only after that. */
  record(events: readonly PiiEvent[], options: { readonly signal: AbortSignal }): Promise<void>
}

/** The most events of one request: the intended capacity of a log. */
const MAX_EVENTS = 10_000
const ID_BYTES = 12

/** Input for the events of an outcome. */
export interface FindingOptions {
  readonly context: AuditContext
  /** The filtered segments, in the same order. */
  readonly segments: readonly { readonly path?: string | undefined }[]
  readonly hashPrefix: HashPrefix
}

/**
 * Creates one event for each span of a filter call, including allowed ones, in the order of the request. Above 10,000,
 * blocking spans come first, and the rest is left out.
 */
export async function createFindingEvents(
  outcome: Pick<FilterOutcome, 'segments'>,
  { context, segments, hashPrefix }: FindingOptions,
): Promise<PiiEvent[]> {
  const hashes = new Map<string, Promise<string>>()
  const hashValue = (value: string): Promise<string> => {
    const hash = hashes.get(value) ?? hashPrefix(value)
    hashes.set(value, hash)
    return hash
  }
  return Promise.all(
    listRecordedFindings(outcome).map(async ({ span, byteOffset, length, index, value }) => ({
      ...createEvent(context, { patternId: toDetectionId(span), action: span.action }),
      byteOffset,
      length,
      score: span.score,
      hashPrefix: await hashValue(value),
      segment: segments[index]?.path,
    })),
  )
}

/** The event of a request that was refused because a detector was missing, failed or took too long. */
export function createUnavailableEvent(context: AuditContext): PiiEvent {
  return createEvent(context, { patternId: '__ner_unavailable__', action: 'block' })
}

/** The event of a request that was refused for unscannable media (§2.10). */
export function createUnscannedMediaEvent(context: AuditContext, segment?: string): PiiEvent {
  return { ...createEvent(context, { patternId: '__unscanned_media__', action: 'block' }), segment }
}

/** The event that explains a refusal: the first blocking one. */
export function findRefusingEvent(events: readonly PiiEvent[]): PiiEvent | undefined {
  return events.find(({ action }) => action === 'block')
}

/** A span of a filter call with its place. */
export interface Finding {
  readonly span: JudgedDetection
  /** Offset and length in the segment's text, in bytes of UTF-8. */
  readonly byteOffset: number
  readonly length: number
  /** Index in its segment. */
  readonly index: number
  /** The found text: to be hashed, never stored. */
  readonly value: string
}

/**
 * The spans of an outcome to record, in the order of the request. Above 10,000, blocking spans come first, and the rest
 * is left out. For audit logs with events of their own shape.
 */
export function listRecordedFindings({ segments }: Pick<FilterOutcome, 'segments'>): readonly Finding[] {
  const findings: Finding[] = []
  for (const [index, { scanned, spans }] of segments.entries()) {
    if (spans.length === 0) continue
    for (const { span, byteOffset, length } of bytePlaces(scanned, spans)) {
      findings.push({ span, byteOffset, length, index, value: scanned.slice(span.start, span.end) })
    }
  }
  return mostImportant(findings)
}

function bytePlaces(text: string, spans: readonly JudgedDetection[]) {
  const edges = convertOffsets(
    text,
    spans.flatMap(({ start, end }) => [start, end]),
    { from: 'utf16', to: 'utf8' },
  )
  return spans.map((span, index) => {
    const byteOffset = edges[2 * index] ?? 0
    return { span, byteOffset, length: (edges[2 * index + 1] ?? 0) - byteOffset }
  })
}

function mostImportant(findings: readonly Finding[]): readonly Finding[] {
  if (findings.length <= MAX_EVENTS) return findings
  const blocks = (finding: Finding) => finding.span.action === 'block'
  return [...findings.filter(blocks), ...findings.filter((finding) => !blocks(finding))].slice(0, MAX_EVENTS)
}

function createEvent(context: AuditContext, { patternId, action }: Pick<PiiEvent, 'patternId' | 'action'>): PiiEvent {
  const id = `pii_${toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`
  return { ...context, id, kind: 'pii', direction: 'in', patternId, action, byteOffset: 0, length: 0 }
}
