import { type SvcError, toSvcError } from '@svc/errors'
import type { Metrics } from '../../monitoring/metrics.ts'
import type { TraceRecord, TraceRecorder, UsageRecord, UsageRecorder } from '../../monitoring/recorders.ts'
import type { Clock } from '../../ports.ts'
import { NO_USAGE } from '../events.ts'
import type { Exchange } from '../exchange.ts'
import type { Executor } from '../executor.ts'
import { isGeneration } from '../inference-request.ts'
import { tapLanes } from '../lanes.ts'
import type { Stage } from '../pipeline.ts'
import { restoreLanes } from '../restore-lanes.ts'
import { isCloudModel, isPassthrough } from '../upstream/cloud-models.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

/** What the model stage needs. */
export interface ModelStageOptions {
  readonly executor: Executor
  readonly upstreams: Upstreams
  readonly usage: UsageRecorder
  readonly traces: TraceRecorder
  readonly metrics: Metrics
  readonly clock: Clock
}

/** Calls the model, sends its events through the lanes, and records what came of it however it ended. */
export function modelStage(options: ModelStageOptions): Stage {
  return async (exchange, next) => {
    let failure: SvcError | undefined
    try {
      await callModel(exchange, options)
      await next()
      failure = exchange.failure
    } catch (error) {
      failure = toSvcError(error)
      throw error
    } finally {
      record(exchange, failure, options)
    }
  }
}

/** A prediction is only begun here; an operation, and a request that is relayed, run to their end. */
async function callModel(exchange: Exchange, { executor, upstreams }: ModelStageOptions): Promise<void> {
  const { call, model } = exchange
  if (isPassthrough(model)) return await upstreams.relay(exchange)
  const { request } = exchange
  const execution = {
    model,
    correlationId: call.requestId,
    header: (name: string) => call.header(name),
    signal: call.signal,
  }
  if (isGeneration(request)) {
    const steps = isCloudModel(model) ? upstreams.predict(exchange) : executor.predict(request, execution)
    const events = tapLanes(steps, {
      onUsage: (usage) => {
        exchange.usage = usage
      },
    })
    exchange.events = exchange.restoration === undefined ? events : restoreLanes(events, exchange.restoration)
    return
  }
  exchange.result = await executor.perform(request, execution)
  exchange.usage = { ...NO_USAGE, promptTokens: exchange.result.promptTokens }
}

function record(exchange: Exchange, failure: SvcError | undefined, options: ModelStageOptions): void {
  const { call, usage } = exchange
  const durationMs = options.clock.monotonic() - call.startedAt
  const record: UsageRecord & TraceRecord = {
    correlationId: call.requestId,
    endpoint: call.row.path,
    requestedModel: exchange.requestedModel,
    servedModel: exchange.model.name,
    principalId: call.principal.id,
    durationMs,
    at: options.clock.now(),
    promptTokens: usage.promptTokens,
    completionTokens: usage.completionTokens,
    errorCode: failure?.code,
  }
  options.traces.record(record)
  options.metrics.countTokens('prompt', usage.promptTokens)
  options.metrics.countTokens('completion', usage.completionTokens)
  const refused = (exchange.upstreamStatus ?? 200) >= 400
  if (!refused && (failure === undefined || failure.kind === 'cancelled')) {
    options.usage.record(record)
  }
}
