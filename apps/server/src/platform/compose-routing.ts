import { randomUUID } from 'node:crypto'
import { createLocalPrincipal } from '@svc/auth'
import { createCallLimit, createDecisionLog, type DecisionLog } from '@svc/router'
import { type CorpusStore, createCorpora } from '@svc/router/corpus'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { RequestContext } from '../inference/core/ports.ts'
import type { ConversationWriter } from '../inference/operations/operation-runner.ts'
import type { RequestRouter } from '../inference/stages/router.ts'
import type { RequestFilter } from '../pii/request-filter.ts'
import type { Clock, Logger } from '../ports.ts'
import { createRoutingMetrics } from '../routing/metrics.ts'
import type { ModelPortsOptions, PerformInside } from '../routing/model-ports.ts'
import type { CallerFacts } from '../routing/request-facts.ts'
import { createRequestRouter } from '../routing/route-request.ts'
import { createRouterAdmin, type RouterAdmin } from '../routing/router-admin.ts'
import { createRouters, type Routers } from '../routing/routers.ts'
import { createTargetStates, type TargetStates } from '../routing/target-states.ts'
import { createTargets, type TargetParts } from '../routing/targets.ts'
import type { PriceBook } from '../spend/price-book.ts'

/** Parts of the server that route requests. */
export interface RoutingModule {
  readonly requests: RequestRouter
  readonly routers: Routers
  readonly decisions: DecisionLog
  readonly admin: RouterAdmin
  /** Takes a request that has ended, for health and speed of its model. */
  readonly observe: TargetStates['observe']
  /** Reads the labelled texts of routers again that another server has changed. */
  readonly refreshCorpus: (name: string, options: { readonly signal: AbortSignal }) => Promise<void>
  close(): Promise<void>
}

/** Parts of {@link composeRouting}. */
export interface RoutingParts {
  readonly perform: PerformInside
  readonly load: ModelPortsOptions['load']
  readonly filter: RequestFilter
  readonly prompts: ConversationWriter
  readonly findModel: (name: string) => ModelConfig | undefined
  readonly listModels: () => readonly ModelConfig[]
  readonly corpusStore: CorpusStore
  /** The failover groups that were asked, by name. */
  readonly knownGroups: TargetParts['knownGroups']
  readonly prices: PriceBook
  readonly callers: CallerFacts
  readonly registry: Parameters<typeof createRoutingMetrics>[0]
  readonly clock: Clock
  readonly logger: Logger
}

/** Puts the routers together. */
export function composeRouting(parts: RoutingParts): RoutingModule {
  const { perform, load, filter, prompts, findModel, clock, logger } = parts
  const decisions = createDecisionLog({ clock })
  const corpora = createCorpora({ store: parts.corpusStore, clock, logger })
  const states = createTargetStates({ clock })
  const { knownGroups, prices } = parts
  const routers = createRouters({
    ...createTargets({ states, findModel, knownGroups, prices, clock }),
    models: { perform, load, filter, ownContext: () => createOwnContext({ clock, logger }) },
    findModel,
    listModels: parts.listModels,
    corpora,
    decisionLimit: createCallLimit(),
    prompts,
    clock,
    logger,
  })
  const requests = createRequestRouter({
    routers,
    findModel,
    decisions,
    metrics: createRoutingMetrics(parts.registry),
    callers: parts.callers,
  })
  const admin = createRouterAdmin({ routers, findModel })
  return {
    requests,
    routers,
    decisions,
    admin,
    observe: states.observe,
    refreshCorpus: (name, call) => corpora.refresh(name, call),
    close: () => routers.close(),
  }
}

/** The context of work that belongs to no request. */
function createOwnContext({ clock, logger: log }: Pick<RoutingParts, 'clock' | 'logger'>): RequestContext {
  const { signal } = new AbortController()
  return {
    route: { path: 'router-corpus', family: 'compatible' },
    requestId: randomUUID(),
    baseUrl: '/',
    principal: createLocalPrincipal(),
    signal,
    abort: signal,
    startedAt: clock.monotonic(),
    log,
    header: () => undefined,
    useModel: () => undefined,
  }
}
