import { SvcError, toSvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { notServed } from '../../catalog/serving.ts'
import type { Metrics } from '../../monitoring/metrics.ts'
import type { TraceRecord, TraceRecorder, UsageRecord, UsageRecorder } from '../../monitoring/recorders.ts'
import type { Clock } from '../../ports.ts'
import { NO_USAGE, type PredictionStep } from '../events.ts'
import type { Exchange } from '../exchange.ts'
import type { ExecuteOptions, Executor } from '../executor.ts'
import type { Failover } from '../failover/failover.ts'
import { isGeneration } from '../inference-request.ts'
import { tapLanes } from '../lanes.ts'
import type { OperationRequest, OperationResult } from '../operations/operation.ts'
import type { Stage } from '../pipeline.ts'
import type { GenerationRequest } from '../request.ts'
import { restoreLanes } from '../restore-lanes.ts'
import { servesCloudModels } from '../upstream/check-route.ts'
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
  return exchange.model.serving.kind === 'relay' ? options.upstreams.relay(exchange) : ask(exchange, options)
}

async function ask(exchange: Exchange, options: ModelStageOptions): Promise<void> {
  const { call, model, request } = exchange
  if (isGeneration(request)) {
    const events = tapLanes(predict(request, { exchange, model, options }), {
      onUsage: (usage) => {
        exchange.usage = usage
      },
      onWarning: ({ code, message }) => {
        options.metrics.countFormMismatch()
        call.log.warn({ code, model: exchange.model.name }, 'an answer has not the form that was asked for')
        if (!exchange.warnings.has(code)) exchange.warnings.set(code, message)
      },
    })
    exchange.events = exchange.restoration === undefined ? events : restoreLanes(events, exchange.restoration)
    return
  }
  exchange.result = await perform(request, { exchange, model, options })
  exchange.usage = { ...NO_USAGE, promptTokens: exchange.result.promptTokens }
}

/** A model that serves a request: the one that was resolved, or a target that serves for it. */
interface Turn {
  readonly exchange: Exchange
  readonly model: ModelConfig
  readonly options: ModelStageOptions
}

function toExecution({ exchange: { call }, model }: Turn): ExecuteOptions {
  return { model, correlationId: call.requestId, header: (name) => call.header(name), signal: call.signal }
}

/** The one place that knows how each kind of model is asked to generate. */
function predict(request: GenerationRequest, turn: Turn): AsyncIterable<PredictionStep> {
  const { exchange, model, options } = turn
  switch (model.serving.kind) {
    case 'backend':
    case 'instance':
      refuseUnbuilt(request)
      return options.executor.predict(request, toExecution(turn))
    case 'translation':
      if (!servesCloudModels(exchange.call.row)) throw routeNotServed(turn)
      return options.upstreams.predict(exchange, model)
    case 'failover':
      return options.failover.predict(exchange, (target) => predict(request, { ...turn, model: target }))
    case 'relay':
      // Relayed whole before anything is parsed; as a target its settings refuse it.
      throw routeNotServed(turn)
    case 'detector':
    case 'none':
      throw notServed(model)
  }
}

/** The same for what has one answer. */
function perform(request: OperationRequest, turn: Turn): Promise<OperationResult> {
  const { exchange, model, options } = turn
  switch (model.serving.kind) {
    case 'backend':
    case 'instance':
      return options.executor.perform(request, toExecution(turn))
    case 'failover':
      return options.failover.perform(exchange, async (target) => perform(request, { ...turn, model: target }))
    case 'translation':
    case 'relay':
      throw routeNotServed(turn)
    case 'detector':
    case 'none':
      throw notServed(model)
  }
}

/** A route that no upstream serves: another target may. */
function routeNotServed({ exchange: { call }, model }: Turn): SvcError {
  return new SvcError('not_implemented', `model "${model.name}" is not served by ${call.row.path}`, {
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
