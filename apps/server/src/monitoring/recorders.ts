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
  /** The first moment, milliseconds since the epoch. */
  readonly since?: number | undefined
  /** The first moment that is no longer asked for. */
  readonly until?: number | undefined
  readonly principalId?: string | undefined
  /** The most records. */
  readonly limit: number
}

/** Reads records back. */
export interface RecordReader<Entry extends RequestFacts> {
  /** Newest first. @throws {SvcError} `unavailable` where the records are in a database that is away; the signal's reason */
  list(query: RecordQuery, options: { readonly signal: AbortSignal }): Promise<readonly Entry[]>
}

export type TraceReader = RecordReader<TraceRecord>

/** The newest entries of a kind, oldest first; older ones fall out. */
export interface Ring<Entry> {
  record(entry: Entry): void
  entries(): readonly Entry[]
}

/**
 * A bounded memory of the newest entries.
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
