import { join } from 'node:path'
import type { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import type { BackendTraceRecorder, TraceRecorder } from '../recorders.ts'
import { openBackendTrace } from './backend-trace.ts'
import { BodyBudget } from './kept-body.ts'
import { createRequestSamples } from './request-samples.ts'
import { RequestTrace } from './request-trace.ts'
import type { RequestSummary } from './summarize.ts'
import { createTraceLog, type TraceLog } from './trace-log.ts'

/** The traces of a server: of requests, and of calls to backends (§4.7). */
export interface Traces {
  readonly requests: TraceRecorder
  readonly backends: BackendTraceRecorder
  readonly requestLog: Pick<TraceLog, 'list' | 'find'>
  readonly backendLog: Pick<TraceLog, 'list' | 'find' | 'clear'>
  /** Counts the traced requests of the last hours, also those that are not listed any more. */
  summarize(hours: number): Promise<RequestSummary>
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
  readonly clock: Clock
  readonly logger: Logger
}

/** Bodies of running traces together. */
const MAX_RUNNING_BYTES = 64 * 1024 * 1024

/** Creates the traces. Nothing is read or written before the first use. */
export function createTraces({ folder, policy, toStatus, clock, logger }: TracesOptions): Traces {
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
  return {
    requests: {
      begin(request) {
        if (!policy.isOn) return undefined
        const trace = new RequestTrace(request, {
          ...{ clock, budget, toStatus, isOn },
          maxBodyBytes: policy.maxBodyBytes,
          onEnd: (sample) => samples.add(sample),
        })
        trace.occupy(requestLog.begin((id) => trace.describe(id)))
        return trace
      },
    },
    backends: {
      get isOn() {
        return isOn()
      },
      begin: (start) =>
        isOn() ? openBackendTrace(start, { clock, isOn, open: (write) => backendLog.begin(write) }) : undefined,
    },
    requestLog,
    backendLog,
    summarize: (hours) => samples.summarize(hours),
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
