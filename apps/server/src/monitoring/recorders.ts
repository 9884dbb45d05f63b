import type { Principal } from '../principal.ts'
import type { BackendTraceStart, OpenBackendTrace } from './traces/backend-trace.ts'
import type { RequestTrace, TracedRequest } from './traces/request-trace.ts'

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

/** Takes the usage of finished requests. Recording never fails and never waits. */
export interface UsageRecorder {
  record(entry: UsageRecord): void
}

/** Takes the traces of requests. Recording never fails and never waits. */
export interface TraceRecorder {
  /** Begins the trace of a request; undefined while tracing is off. */
  begin(request: TracedRequest): RequestTrace | undefined
}

/** Takes the traces of calls to backends. Recording never fails and never waits. */
export interface BackendTraceRecorder {
  readonly isOn: boolean
  /** Begins the trace of a call; undefined while tracing is off. */
  begin(start: BackendTraceStart): OpenBackendTrace | undefined
}
