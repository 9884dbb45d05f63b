import { join } from 'node:path'
import type { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import type { BackendTraceRecorder, SpanRecorder, TraceRecorder } from '../recorders.ts'
import type { SpanScope } from '../spans/span-scope.ts'
import { openBackendTrace } from './backend-trace.ts'
import { BodyBudget } from './kept-body.ts'
import { createRequestSamples } from './request-samples.ts'
import { RequestTrace } from './request-trace.ts'
import { type RequestSummary, summarize } from './summarize.ts'
import { countTraces } from './trace-filter.ts'
import { createTraceLog, type TraceLog } from './trace-log.ts'

/** The traces of a server: of requests, and of calls to backends (§4.7). */
export interface Traces {
  readonly requests: TraceRecorder
  readonly backends: BackendTraceRecorder
  readonly requestLog: Pick<TraceLog, 'list' | 'find'>
  readonly backendLog: Pick<TraceLog, 'list' | 'find' | 'clear'>
  /**
   * Counts the traced requests of the last hours, also the ones that are no longer listed.
   *
   * @param matches counts only listed requests whose heads match
   */
  summarize(hours: number, matches?: (head: string) => boolean): Promise<RequestSummary>
  /** Forgets the traces of requests, and their counts. */
  clearRequests(): Promise<void>
  /** Number of traces that could not be stored. */
  readonly lost: number
  /** Resolves when the disk has everything. */
  flush(): Promise<void>
  close(): Promise<void>
}

/** The settings of traces, as they are now. */
export interface TracePolicy {
  readonly isOn: boolean
  readonly maxItems: number
  readonly maxBodyBytes: number
}

/** Options of {@link createTraces}. */
export interface TracesOptions {
  readonly folder: string
  readonly policy: TracePolicy
  /** Gives the status of a reply to a failed request. */
  readonly toStatus: (error: SvcError) => number
  /** Gives the maker of spans; undefined while none are sent. @default none are sent */
  readonly spans?: (() => SpanRecorder | undefined) | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** The spans of running requests, for calls that only know the correlation id of their request. */
class RunningSpans {
  readonly #spans = new Map<string, SpanScope>()

  /** A client may use one id for several requests at a time; then the first of them has the calls. */
  add(requestId: string, span: SpanScope): void {
    if (!this.#spans.has(requestId)) this.#spans.set(requestId, span)
  }

  find(requestId: string | undefined): SpanScope | undefined {
    return requestId === undefined ? undefined : this.#spans.get(requestId)
  }

  remove(requestId: string, span: SpanScope | undefined): void {
    if (this.#spans.get(requestId) === span) this.#spans.delete(requestId)
  }
}

/** Bodies of running traces together. */
const MAX_RUNNING_BYTES = 64 * 1024 * 1024

/** Creates the traces. Nothing is read or written before the first use. */
export function createTraces(options: TracesOptions): Traces {
  const { folder, policy, toStatus, spans = () => undefined, clock, logger } = options
  let lost = 0
  const shared = {
    maxItems: () => policy.maxItems,
    onLost(count: number) {
      lost += count
    },
    clock,
    logger,
  }
  const requestLog = createTraceLog({ ...shared, folder: join(folder, 'api') })
  const backendLog = createTraceLog({ ...shared, folder: join(folder, 'backend') })
  const samples = createRequestSamples({ folder, clock, logger })
  const budget = new BodyBudget(MAX_RUNNING_BYTES)
  const isOn = (): boolean => policy.isOn
  const running = new RunningSpans()
  return {
    requests: {
      begin(request) {
        const recorder = spans()
        const isListed = policy.isOn
        if (!isListed && recorder === undefined) return undefined
        const span = recorder?.begin(request.header?.('traceparent'))
        const trace = new RequestTrace(request, {
          clock,
          budget,
          toStatus,
          isOn,
          span,
          maxBodyBytes: isListed ? policy.maxBodyBytes : 0,
          onEnd: (sample) => samples.add(sample),
          onSpan: (spanned) => recorder?.recordRequest(spanned),
          onLeave: () => running.remove(request.requestId, span),
        })
        if (span !== undefined) running.add(request.requestId, span)
        if (isListed) trace.occupy(requestLog.begin((id) => trace.describe(id)))
        return trace
      },
    },
    backends: {
      get isOn() {
        return isOn() || spans() !== undefined
      },
      openSpan({ trace, correlationId }) {
        const recorder = spans()
        if (recorder === undefined) return undefined
        const parent = trace?.span ?? running.find(correlationId)
        return parent === undefined ? recorder.begin(undefined) : parent.child()
      },
      begin(start) {
        const recorder = spans()
        if (!isOn() && recorder === undefined) return undefined
        return openBackendTrace(start, {
          clock,
          isOn,
          open: isOn() ? (write) => backendLog.begin(write) : undefined,
          onSpan: (spanned) => recorder?.recordCall(spanned),
        })
      },
    },
    requestLog,
    backendLog,
    async summarize(hours, matches) {
      if (matches === undefined) return samples.summarize(hours)
      const { traces } = await requestLog.list({ offset: 0, limit: 0, matches })
      return summarize(countTraces(traces.map(({ head }) => head)), { now: clock.now(), hours })
    },
    async clearRequests() {
      await requestLog.clear()
      await samples.clear()
    },
    get lost() {
      return lost
    },
    async flush() {
      await Promise.all([requestLog.flush(), backendLog.flush(), samples.flush()])
    },
    async close() {
      await Promise.all([requestLog.close(), backendLog.close(), samples.close()])
    },
  }
}
