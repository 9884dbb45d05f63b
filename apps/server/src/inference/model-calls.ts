import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import { leavesMachine, notServed } from '../catalog/serving.ts'
import type { StepBatches } from './events.ts'
import type { ExecuteOptions, Executor } from './executor.ts'
import type { Failover } from './failover/failover.ts'
import type { RequestLedger } from './ledger.ts'
import type { OperationKind, OperationRequest, OperationResult } from './operations/operation.ts'
import type { RequestContext } from './ports.ts'
import type { GenerationRequest } from './request.ts'
import { servesCloudModels } from './upstream/check-route.ts'
import type { TranslateUpstream, UpstreamChat } from './upstream/translate.ts'

/** A request for models. */
export interface ModelTask {
  readonly context: RequestContext
  readonly ledger: RequestLedger
  /** The request in the chat format, for upstreams that are asked in it. */
  readonly upstreamChat: UpstreamChat | undefined
  /** The size of the request's body. */
  readonly bodyBytes: number
}

/** Asks models, independent of how each is served. */
export interface ModelCalls {
  /** Starts a prediction. Nothing runs before the first pull; ending the iteration early ends the prediction. */
  predict(request: GenerationRequest, model: ModelConfig, task: ModelTask): StepBatches
  perform<K extends OperationKind>(
    request: OperationRequest<K>,
    model: ModelConfig,
    task: ModelTask,
  ): Promise<OperationResult<K>>
}

/** Options of {@link createModelCalls}. */
export interface ModelCallsOptions {
  readonly executor: Executor
  readonly translate: TranslateUpstream
  readonly failover: Failover
}

/** Creates the calls. This is the one place that knows how each kind of serving is asked. */
export function createModelCalls({ executor, translate, failover }: ModelCallsOptions): ModelCalls {
  const calls: ModelCalls = {
    predict(request, model, task) {
      switch (model.serving.kind) {
        case 'backend':
        case 'instance':
          refuseUnbuilt(request)
          return executor.predict(request, toExecution(model, task))
        case 'translation':
          if (!servesCloudModels(task.context.route) || task.upstreamChat === undefined)
            throw routeNotServed(model, task)
          return translate(task.upstreamChat, {
            model,
            stream: request.stream,
            context: task.context,
            trace: task.ledger.trace,
            onUsage(usage) {
              task.ledger.count(usage)
            },
          })
        case 'failover':
          return failover.predict(model, task, (target) => calls.predict(request, target, task))
        case 'router':
          throw routerAsked(model)
        case 'relay':
          // A relayed request is never parsed; the settings of a group refuse a relayed target.
          throw routeNotServed(model, task)
        case 'detector':
        case 'none':
          throw notServed(model)
      }
    },
    async perform(request, model, task) {
      switch (model.serving.kind) {
        case 'backend':
        case 'instance':
          return executor.perform(request, toExecution(model, task))
        case 'failover':
          return failover.perform(model, task, (target) => calls.perform(request, target, task))
        case 'router':
          throw routerAsked(model)
        case 'translation':
        case 'relay':
          throw routeNotServed(model, task)
        case 'detector':
        case 'none':
          throw notServed(model)
      }
    },
  }
  return calls
}

function toExecution(model: ModelConfig, { context, ledger }: ModelTask): ExecuteOptions {
  return {
    model,
    correlationId: context.requestId,
    header: (name) => context.header(name),
    trace: ledger.trace,
    onLeft({ usage, isEstimated }) {
      // What other servers do not say is estimated from the whole request, when it is recorded.
      if (isEstimated && leavesMachine(model)) return
      ledger.count(usage)
      ledger.isEstimated ||= isEstimated
    },
    signal: context.signal,
  }
}

/** Creates the refusal of a route that the upstream does not serve; another failover target may serve it. */
function routeNotServed({ name }: ModelConfig, { context }: ModelTask): SvcError {
  return new SvcError('not_implemented', `model "${name}" is not served by ${context.route.path}`, {
    code: 'route_not_served',
  })
}

/** Makes the refusal of a router that another model names: a request is routed once. */
function routerAsked({ name }: ModelConfig): SvcError {
  return new SvcError('internal', `model "${name}" is a router, which serves no other model (depth-1 invariant)`, {
    code: 'router_depth',
  })
}

/** Refuses features of later versions instead of ignoring their fields. */
function refuseUnbuilt(request: GenerationRequest): void {
  if (request.kind !== 'chat' || (request.metadata?.mcp_servers ?? '').trim() === '') return
  throw new SvcError('invalid_request', 'metadata.mcp_servers is not in this version', {
    code: 'not_in_this_version',
    details: { param: 'metadata.mcp_servers' },
  })
}
