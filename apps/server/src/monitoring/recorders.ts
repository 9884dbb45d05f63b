import type { Principal } from '../principal.ts'

/** Facts of every record of an inference request. */
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
  /** The caller, as it was during the request. */
  readonly principal: Principal
  readonly promptTokens: number
  readonly completionTokens: number
}

/** A request as the list of traces shows it: without headers, prompts and keys. */
export interface TraceRecord extends RequestFacts {
  readonly errorCode: string | undefined
}

/** Takes the usage of finished requests. Recording never fails and never waits. */
export interface UsageRecorder {
  record(entry: UsageRecord): void
}

/** Takes the traces of requests. Recording never fails and never waits. */
export interface TraceRecorder {
  record(entry: TraceRecord): void
}

/** Selects records; an absent field matches every record. */
export interface RecordQuery {
  /** First included time, milliseconds since the epoch. */
  readonly since?: number | undefined
  /** First excluded time. */
  readonly until?: number | undefined
  readonly principalId?: string | undefined
  /** Maximum number of records. */
  readonly limit: number
}

/** Reads records back. */
export interface RecordReader<Entry extends RequestFacts> {
  /**
   * Lists records, newest first. @throws {SvcError} `unavailable` when the records are in a database that is away; the
   * signal's reason
   */
  list(query: RecordQuery, options: { readonly signal: AbortSignal }): Promise<readonly Entry[]>
}

export type TraceReader = RecordReader<TraceRecord>

/** The newest entries, oldest first; older ones are dropped. */
export interface Ring<Entry> {
  record(entry: Entry): void
  entries(): readonly Entry[]
}

/**
 * Creates a bounded ring of the newest entries.
 *
 * @param capacity maximum number of entries, at least 1
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
