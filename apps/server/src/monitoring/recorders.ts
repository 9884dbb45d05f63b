/** Facts every record of an inference request has. */
export interface RequestFacts {
  readonly correlationId: string
  /** Route pattern. */
  readonly endpoint: string
  readonly requestedModel: string
  readonly servedModel: string
  readonly principalId: string
  readonly durationMs: number
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** A finished request that used tokens. */
export interface UsageRecord extends RequestFacts {
  readonly promptTokens: number
  readonly completionTokens: number
}

/** A request as the trace list shows it: never headers, prompts or keys. */
export interface TraceRecord extends RequestFacts {
  readonly errorCode: string | undefined
}

/** Something an operator may have to answer for later. */
export interface AuditEvent {
  readonly kind: 'admission'
  readonly model: string
  readonly correlationId: string
  readonly userId: string
  readonly statusCode: number
  /** How long the caller is asked to wait, milliseconds. */
  readonly retryAfterMs: number
}

/** Where finished requests are counted. Recording never fails and never waits. */
export interface UsageRecorder {
  record(entry: UsageRecord): void
}

/** Where requests leave their trace. */
export interface TraceRecorder {
  record(entry: TraceRecord): void
}

/** Where audit events go. */
export interface AuditSink {
  record(event: AuditEvent): void
}

/** The newest entries of a kind, oldest first; older ones fall out. */
export interface Ring<Entry> {
  record(entry: Entry): void
  entries(): readonly Entry[]
}

/**
 * A bounded memory of the newest entries: the default behind every recorder port until a database is.
 *
 * @param capacity entries kept, at least 1
 */
export function createRing<Entry>(capacity: number): Ring<Entry> {
  const slots: Entry[] = []
  let next = 0
  return {
    record(entry) {
      slots[next] = entry
      next = (next + 1) % capacity
    },
    entries: () => (slots.length < capacity ? slots.slice() : [...slots.slice(next), ...slots.slice(0, next)]),
  }
}

/** Entries each default recorder keeps. */
export const RECORDS_KEPT = 128
