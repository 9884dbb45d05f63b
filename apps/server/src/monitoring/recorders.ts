import type { Principal } from '@svc/auth'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Attribution } from '../spend/attribution.ts'
import type { MediaFigures } from './media-figures.ts'
import type { SpannedCall, SpannedRequest } from './spans/request-spans.ts'
import type { SpanScope } from './spans/span-scope.ts'
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

/** A finished request that used tokens or media. */
export interface UsageRecord extends RequestFacts {
  /** The caller, as it was during the request. */
  readonly principal: Principal
  readonly promptTokens: number
  readonly completionTokens: number
  /** Prompt tokens that came from a cache, as far as the server that answered says. */
  readonly cachedTokens?: number | undefined
  /** Prompt tokens that were written to a cache, as far as the server that answered says. */
  readonly cacheWriteTokens?: number | undefined
  /** Completion tokens that were thoughts, as far as the server that answered says. */
  readonly reasoningTokens?: number | undefined
  /** Absent for requests without media of their own. */
  readonly media?: MediaFigures | undefined
  /** Whether the tokens are an estimate. */
  readonly isEstimated: boolean
  /** Whether a kept reply answered, which costs nothing. @default false */
  readonly isReplayed?: boolean | undefined
  /** The model that served, whose price counts. */
  readonly model: ModelConfig
  /** Milliseconds as the server of the model reports them; 0 where it does not. */
  readonly promptMs: number
  readonly generationMs: number
  /** For whom the request was. @default nobody in particular */
  readonly attribution?: Attribution | undefined
}

/** Takes the usage of finished requests. Recording never fails and never waits. */
export interface UsageRecorder {
  record(entry: UsageRecord): void
}

/** Makes spans for programs elsewhere. It never fails and never waits. */
export interface SpanRecorder {
  /** Begins the span of a request. @param traceparent the header with the caller's span */
  begin(traceparent: string | undefined): SpanScope
  /** Takes a finished request whose span is sampled. */
  recordRequest(request: SpannedRequest): void
  /** Takes a finished call whose span is sampled. */
  recordCall(call: SpannedCall): void
}

/** Takes the traces of requests. Recording never fails and never waits. */
export interface TraceRecorder {
  /** Begins the trace of a request; undefined while tracing is off and no spans are sent. */
  begin(request: TracedRequest): RequestTrace | undefined
}

/** Takes the traces of calls to backends. Recording never fails and never waits. */
export interface BackendTraceRecorder {
  /** Whether calls are traced or have spans. */
  readonly isOn: boolean
  /**
   * Begins the span of a call, which the callee may get in a header; undefined while no spans are sent.
   *
   * @param call.trace the trace of the request that makes the call. @default the running request with its correlation id
   */
  openSpan(call: {
    readonly trace?: { readonly span?: SpanScope | undefined } | undefined
    readonly correlationId?: string | undefined
  }): SpanScope | undefined
  /** Begins the trace of a call; undefined while tracing is off and no spans are sent. */
  begin(start: BackendTraceStart): OpenBackendTrace | undefined
}
