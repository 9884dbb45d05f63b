import { SvcError } from '@svc/errors'
import { type DecisionLog, extractProbe } from '@svc/router'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { RequestRouter } from '../inference/stages/router.ts'
import { RoutingCaller } from './caller.ts'
import type { RoutingMetrics } from './metrics.ts'
import { type CallerFacts, findRequestFacts } from './request-facts.ts'
import { findProbeFormat, nothingAsked } from './routed-routes.ts'
import type { Routers } from './routers.ts'

/** Options of {@link createRequestRouter}. */
export interface RequestRouterOptions {
  readonly routers: Pick<Routers, 'open'>
  readonly findModel: (name: string) => ModelConfig | undefined
  readonly decisions: Pick<DecisionLog, 'record'>
  readonly metrics: RoutingMetrics
  readonly callers: CallerFacts
}

/** Puts routers between requests and models. Each decision is recorded. */
export function createRequestRouter(options: RequestRouterOptions): RequestRouter {
  const { routers, findModel, decisions, metrics, callers } = options
  return {
    async route({ model, requestedModel, document, context }) {
      const format = findProbeFormat(context.route, model)
      const probe = extractProbe(document.texts().root, format)
      if (probe === undefined) throw nothingAsked(format)
      const { router, hasSignals } = await routers.open(model)
      const facts = hasSignals ? await findRequestFacts({ document, context, format }, callers) : undefined
      const caller = new RoutingCaller(context)
      const decision = await router.decide(probe, { signal: context.signal, caller, facts })
      const served = findModel(decision.servedModel.trim())
      if (served === undefined) throw goneMeanwhile(decision.servedModel)
      const record = decisions.record(
        {
          correlationId: context.requestId,
          userId: context.principal.id,
          routerModel: model.name,
          requestedModel,
          source: format,
        },
        // An alias is recorded as its model: usage and reply name that one.
        { ...decision, servedModel: served.name },
      )
      metrics.observe(router, record)
      const { classifier, label, cached, latencyMs, reason } = decision
      const rules = decision.rules?.map(({ name }) => name)
      context.log.debug(
        { router: model.name, servedModel: served.name, classifier, label, cached, latencyMs, reason, rules },
        'request routed',
      )
      return served
    },
  }
}

function goneMeanwhile(name: string): SvcError {
  return new SvcError('internal', `the model "${name}", which a router picked, is gone`, {
    code: 'router_model_missing',
  })
}
