import { SvcError, toSvcError } from '@svc/errors'
import type { RouteRow } from '../../http/route-row.ts'
import { isChain } from '../../models/chain.ts'
import { checkServing } from '../../models/check-serving.ts'
import type { ModelConfig } from '../../models/model-config.ts'
import type { Metrics } from '../../monitoring/metrics.ts'
import type { TraceRecord, TraceRecorder, UsageRecord, UsageRecorder } from '../../monitoring/recorders.ts'
import type { Clock } from '../../ports.ts'
import { NO_USAGE, type PredictionStep } from '../events.ts'
import type { Exchange } from '../exchange.ts'
import type { Executor } from '../executor.ts'
import type { Failover } from '../failover/failover.ts'
import { isGeneration } from '../inference-request.ts'
import { tapLanes } from '../lanes.ts'
import type { OperationResult } from '../operations/operation.ts'
import type { Stage } from '../pipeline.ts'
import type { GenerationRequest } from '../request.ts'
import { restoreLanes } from '../restore-lanes.ts'
import { servesCloudModels } from '../upstream/check-route.ts'
import { isCloudModel, isPassthrough } from '../upstream/cloud-models.ts'
import type { Upstreams } from '../upstream/upstreams.ts'

/** What the model stage needs. */
export interface ModelStageOptions {
  readonly executor: Executor
  readonly upstreams: Upstreams
  readonly failover: Failover
  readonly usage: UsageRecorder
  readonly traces: TraceRecorder
  readonly metrics: Metrics
  readonly clock: Clock
}

/** Calls the model, sends its events through the lanes, and records what came of it however it ended. */
export function modelStage(options: ModelStageOptions): Stage {
  return (exchange) => {
    exchange.atEnd((thrown) => {
      record(exchange, thrown === undefined ? exchange.failure : toSvcError(thrown), options)
    })
    return callModel(exchange, options)
  }
}

/** A prediction is only begun here; an operation, and a request that is relayed, run to their end. */
function callModel(exchange: Exchange, options: ModelStageOptions): Promise<void> {
  return isPassthrough(exchange.model) ? options.upstreams.relay(exchange) : ask(exchange, options)
}

async function ask(exchange: Exchange, { executor, upstreams, failover, metrics }: ModelStageOptions): Promise<void> {
  const { call, model, request } = exchange
  const execution = {
    model,
    correlationId: call.requestId,
    header: (name: string) => call.header(name),
    signal: call.signal,
  }
  if (isGeneration(request)) {
    const run = (target: ModelConfig): AsyncIterable<PredictionStep> => {
      checkServed(target, call.row)
      if (isCloudModel(target)) return upstreams.predict(exchange, target)
      refuseUnbuilt(request)
      return executor.predict(request, { ...execution, model: target })
    }
    const steps = isChain(model) ? failover.predict(exchange, run) : run(model)
    const events = tapLanes(steps, {
      onUsage: (usage) => {
        exchange.usage = usage
      },
      onWarning: ({ code, message }) => {
        metrics.countFormMismatch()
        call.log.warn({ code, model: exchange.model.name }, 'an answer has not the form that was asked for')
        if (!exchange.warnings.has(code)) exchange.warnings.set(code, message)
      },
    })
    exchange.events = exchange.restoration === undefined ? events : restoreLanes(events, exchange.restoration)
    return
  }
  const run = (target: ModelConfig): Promise<OperationResult> => {
    checkServed(target, call.row)
    return executor.perform(request, { ...execution, model: target })
  }
  exchange.result = await (isChain(model) ? failover.perform(exchange, run) : run(model))
  exchange.usage = { ...NO_USAGE, promptTokens: exchange.result.promptTokens }
}

/** A route that no upstream serves is served by others of a chain. */
function checkServed(target: ModelConfig, row: RouteRow): void {
  checkServing(target)
  if (!isCloudModel(target) || servesCloudModels(row)) return
  throw new SvcError('not_implemented', `model "${target.name}" is not served by ${row.path}`, {
    code: 'route_not_served',
  })
}

/** What a request asks of this server that is not in this version: it is never answered as if it had not been asked. */
function refuseUnbuilt(request: GenerationRequest): void {
  if (request.kind !== 'chat' || (request.metadata?.mcp_servers ?? '').trim() === '') return
  throw new SvcError('invalid_request', 'metadata.mcp_servers is not in this version', {
    code: 'not_in_this_version',
    details: { param: 'metadata.mcp_servers' },
  })
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
  // What was made before it broke off is settled with what was seen of it (threats CP-5).
  const isUsed = usage.promptTokens > 0 || usage.completionTokens > 0
  if (!refused && (failure === undefined || failure.kind === 'cancelled' || isUsed)) options.usage.record(record)
}
