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
import { detectionId } from './span.ts'

export { createHashPrefix, type HashPrefix } from './hash-prefix.ts'

/** Where a text was filtered: in a request, in the intercepting proxy, or by a call of the API. */
export type PiiOrigin = 'middleware' | 'proxy' | 'pii_analyze' | 'pii_redact'

/** What all events of one request say. */
export interface AuditContext {
  readonly origin: PiiOrigin
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly correlationId?: string | undefined
  readonly userId?: string | undefined
  /** The host that an intercepted request was for. */
  readonly host?: string | undefined
}

/** One finding, as the audit log keeps it (§6.1). Holds neither the matched text nor anything around it. */
export interface PiiEvent extends AuditContext {
  /** `pii_` and 24 hex digits. */
  readonly id: string
  readonly kind: 'pii'
  /** Only requests are filtered. */
  readonly direction: 'in'
  /** `ner:EMAIL`, `pattern:codehost_token`, `__ner_unavailable__` or `__unscanned_media__`. */
  readonly patternId: string
  readonly action: PiiAction
  /** Place and length in the segment's text, in bytes of UTF-8; 0 for what has no place. */
  readonly byteOffset: number
  readonly length: number
  /** Where the segment stands: `messages[3].content[1].text`. */
  readonly segment?: string | undefined
  readonly score?: number | undefined
  readonly hashPrefix?: string | undefined
}

/** Keeps events. */
export interface AuditSink {
  /** Resolves when the events are kept; a refusal is sent only after that. */
  record(events: readonly PiiEvent[], options: { readonly signal: AbortSignal }): Promise<void>
}

/** The most events of one request: as many as a log of them is meant to hold. */
const MAX_EVENTS = 10_000
const ID_BYTES = 12

/** What the events of an outcome are made of. */
export interface FindingOptions {
  readonly context: AuditContext
  /** The segments that were filtered, in the same order. */
  readonly segments: readonly { readonly path?: string | undefined }[]
  readonly hashPrefix: HashPrefix
}

/**
 * One event for each span that a filter call left, allowed ones among them, in the order of the request. Of more than
 * 10,000 those that block come first, and the rest of them are left out.
 */
export async function findingEvents(
  outcome: Pick<FilterOutcome, 'segments'>,
  { context, segments, hashPrefix }: FindingOptions,
): Promise<PiiEvent[]> {
  const hashes = new Map<string, Promise<string>>()
  const hashOf = (value: string): Promise<string> => {
    const hash = hashes.get(value) ?? hashPrefix(value)
    hashes.set(value, hash)
    return hash
  }
  return Promise.all(
    recordedFindings(outcome).map(async ({ span, byteOffset, length, index, value }) => ({
      ...eventOf(context, { patternId: detectionId(span), action: span.action }),
      byteOffset,
      length,
      score: span.score,
      hashPrefix: await hashOf(value),
      segment: segments[index]?.path,
    })),
  )
}

/** The event of a request that was refused because a detector was missing, failed or took too long. */
export function unavailableEvent(context: AuditContext): PiiEvent {
  return eventOf(context, { patternId: '__ner_unavailable__', action: 'block' })
}

/** The event of a request that was refused for media that nobody can scan (§2.10). */
export function unscannedMediaEvent(context: AuditContext, segment?: string): PiiEvent {
  return { ...eventOf(context, { patternId: '__unscanned_media__', action: 'block' }), segment }
}

/** The event that explains a refusal: the first that blocks. */
export function refusingEvent(events: readonly PiiEvent[]): PiiEvent | undefined {
  return events.find(({ action }) => action === 'block')
}

/** A span that a filter call left and where it stands. */
export interface Finding {
  readonly span: JudgedDetection
  /** Place and length in the segment's text, in bytes of UTF-8. */
  readonly byteOffset: number
  readonly length: number
  /** Of its segment. */
  readonly index: number
  /** What was found: to be hashed, never kept. */
  readonly value: string
}

/**
 * What of an outcome is worth an event: every span in the order of the request; of more than 10,000 those that block
 * come first, and the rest of them are left out. For audit logs with events of their own shape.
 */
export function recordedFindings({ segments }: Pick<FilterOutcome, 'segments'>): readonly Finding[] {
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

function eventOf(context: AuditContext, { patternId, action }: Pick<PiiEvent, 'patternId' | 'action'>): PiiEvent {
  const id = `pii_${toHex(crypto.getRandomValues(new Uint8Array(ID_BYTES)))}`
  return { ...context, id, kind: 'pii', direction: 'in', patternId, action, byteOffset: 0, length: 0 }
}
