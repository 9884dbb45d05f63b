import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { notServed } from '../../catalog/serving.ts'
import type { ExecuteOptions, Executor } from '../engine/executor.ts'
import type { OperationKind, OperationRequest, OperationResult } from '../operations/operation.ts'
import type { Failover } from '../serving/failover/failover.ts'
import type { OwnStores } from '../serving/own-stores/own-stores.ts'
import { servesCloudModels } from '../serving/upstream/check-route.ts'
import type { TranslateUpstream, UpstreamChat } from '../serving/upstream/translate.ts'
import { type CallAccount, countBatches } from './call-account.ts'
import { NO_USAGE, type StepBatches } from './events.ts'
import type { RequestLedger } from './ledger.ts'
import type { RequestContext } from './ports.ts'
import type { GenerationRequest } from './request.ts'
import type { Turns } from './turns.ts'

/** A request for models. */
export interface ModelTask {
  readonly context: RequestContext
  readonly ledger: RequestLedger
  /** The request in the chat format, for upstreams that are asked in it. */
  readonly upstreamChat: UpstreamChat | undefined
  /** The size of the request's body. */
  readonly bodyBytes: number
  /** The turns of requests that call a model again. */
  readonly turns: Turns
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
  /** The vector stores of this process. */
  readonly ownStores: OwnStores
  /** Answers requests that name an agent. @default no agents */
  readonly predictAgent?: PredictAgent | undefined
}

/** Answers a request that names an agent. Its calls of models have accounts of their own. */
export type PredictAgent = (request: GenerationRequest, agent: string, task: ModelTask) => StepBatches

/**
 * Creates the calls. This is the one place that knows how each kind of serving is asked. Each call has an account of its
 * own in the ledger, from the moment it is made.
 */
export function createModelCalls(options: ModelCallsOptions): ModelCalls {
  const { executor, translate, failover, ownStores, predictAgent } = options

  /** @param opened the account that a failover group has opened for its target */
  function predict(
    request: GenerationRequest,
    model: ModelConfig,
    task: ModelTask,
    opened?: CallAccount | undefined,
  ): StepBatches {
    switch (model.serving.kind) {
      case 'backend':
      case 'instance': {
        const account = opened ?? open(request, model, task)
        return countBatches(executor.predict(request, toExecution(account, task)), account)
      }
      case 'translation': {
        if (!servesCloudModels(task.context.route) || task.upstreamChat === undefined) throw routeNotServed(model, task)
        const account = opened ?? open(request, model, task)
        const { upstreamChat, context, ledger } = task
        const { stream } = request
        const onUsage = account.report.bind(account)
        return countBatches(translate(upstreamChat, { model, stream, context, trace: ledger.trace, onUsage }), account)
      }
      case 'failover':
        return failover.predict(model, task, {
          open: (target) => open(request, target, task),
          run: (account) => predict(request, account.model, task, account),
        })
      case 'router':
        throw routerAsked(model)
      case 'agent':
        if (predictAgent === undefined) throw routeNotServed(model, task)
        return predictAgent(request, model.serving.agent, task)
      case 'store':
        throw routeNotServed(model, task)
      case 'relay':
      case 'federated':
        // A relayed request is never parsed; the settings of a group refuse a relayed target.
        throw routeNotServed(model, task)
      case 'pipeline':
      case 'detector':
      case 'none':
        throw notServed(model)
    }
  }

  async function perform<K extends OperationKind>(
    request: OperationRequest<K>,
    model: ModelConfig,
    task: ModelTask,
    opened?: CallAccount | undefined,
  ): Promise<OperationResult<K>> {
    switch (model.serving.kind) {
      case 'backend':
      case 'instance': {
        const account = opened ?? task.ledger.open(model)
        const result = await executor.perform(request, toExecution(account, task))
        account.count({ ...NO_USAGE, promptTokens: result.promptTokens })
        return result
      }
      case 'store': {
        const { context, ledger } = task
        ledger.open(model)
        return ownStores.perform(request, { store: model.serving.store, signal: context.signal })
      }
      case 'failover':
        return failover.perform(model, task, {
          open: (target) => task.ledger.open(target),
          run: (account) => perform(request, account.model, task, account),
        })
      case 'router':
        throw routerAsked(model)
      case 'translation':
      case 'relay':
      case 'federated':
      case 'agent':
        throw routeNotServed(model, task)
      case 'pipeline':
      case 'detector':
      case 'none':
        throw notServed(model)
    }
  }

  return {
    predict: (request, model, task) => predict(request, model, task),
    perform: (request, model, task) => perform(request, model, task),
  }
}

function open(request: GenerationRequest, model: ModelConfig, { ledger }: ModelTask): CallAccount {
  return ledger.open(model, { generates: !(request.kind === 'completion' && request.generates === false) })
}

function toExecution(account: CallAccount, { context, ledger }: ModelTask): ExecuteOptions {
  return {
    model: account.model,
    correlationId: context.requestId,
    header: (name) => context.header(name),
    trace: ledger.trace,
    onNode: (name) => ledger.nameNode(name),
    onLeft: (left) => account.leave(left),
    onMedia: (media) => account.countMedia(media),
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
