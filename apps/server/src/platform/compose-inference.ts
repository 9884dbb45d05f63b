import { join } from 'node:path'
import type { Quotas } from '@svc/auth/quotas'
import type { CorpusStore } from '@svc/router/corpus'
import { createCorpusFiles } from '@svc/router/node'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { ModelDirectory } from '../catalog/resolve.ts'
import type { ServerConfig } from '../config/schema.ts'
import { createModelSlots, createSlotCounter, type ModelSlots } from '../inference/core/admission.ts'
import { countRequest } from '../inference/core/count-request.ts'
import { RequestLedger } from '../inference/core/ledger.ts'
import { createModelCalls, type ModelCalls, type PredictAgent } from '../inference/core/model-calls.ts'
import {
  type CoreOptions,
  createRequestCore,
  type RequestCore,
  type StageObserver,
} from '../inference/core/pipeline.ts'
import { createTurns } from '../inference/core/turns.ts'
import { createBackendExecutor } from '../inference/engine/backend-executor.ts'
import { createMediaAttacher } from '../inference/media/attach-media.ts'
import { createMediaReader, type MediaLimits } from '../inference/media/media-reader.ts'
import { createCompileCache } from '../inference/prediction/compile-cache.ts'
import { createModelFactsReader } from '../inference/prediction/model-facts.ts'
import { createPlanner } from '../inference/prediction/plan.ts'
import { createReplyRuleBook } from '../inference/prompt/finish/reply-rules.ts'
import { createPromptBuilder } from '../inference/prompt/prompt-builder.ts'
import { ReplyStore } from '../inference/response-cache/reply-store.ts'
import { createResponseCache, type ResponseCache } from '../inference/response-cache/response-cache.ts'
import { createOwnStores } from '../inference/serving/own-stores/own-stores.ts'
import { type CloudModels, createCloudModels } from '../inference/serving/upstream/cloud-models.ts'
import type { CheckUpstream } from '../inference/serving/upstream/own-address.ts'
import { createRelay, type RelayUpstream } from '../inference/serving/upstream/relay.ts'
import { createTranslation } from '../inference/serving/upstream/translate.ts'
import { createAccess } from '../inference/stages/access.ts'
import { readRequestBody } from '../inference/stages/body.ts'
import { createGlobalLimit, createModelLimit } from '../inference/stages/limits.ts'
import { createModelStage } from '../inference/stages/model.ts'
import { createParse } from '../inference/stages/parse.ts'
import { createPiiStage } from '../inference/stages/pii.ts'
import { createResolve } from '../inference/stages/resolve.ts'
import { createRouterStage } from '../inference/stages/router.ts'
import type { ToolSources } from '../inference/tools/open-tools.ts'
import { createToolLoop } from '../inference/tools/tool-loop.ts'
import { traceExecutor, traceRelay, traceTranslation } from '../inference/tracing/trace-calls.ts'
import type { OwnPlaces } from '../key-files/own-places.ts'
import type { BackendTraceRecorder, TraceRecorder } from '../monitoring/recorders.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { RequestFilter, RequestFilterOptions } from '../pii/request-filter.ts'
import type { TextScanner } from '../pii/scan-text.ts'
import type { Placement } from '../placement/placement.ts'
import { OPAQUE_ERROR } from '../public-error.ts'
import { CORPUS_FOLDER } from '../routing/corpus-folder.ts'
import type { PerformInside } from '../routing/model-ports.ts'
import type { CallerFacts } from '../routing/request-facts.ts'
import type { Settings } from '../settings/settings.ts'
import { createSlotStore } from '../slots/slot-store.ts'
import type { EndUserNaming } from '../spend/attribution.ts'
import type { PriceBook } from '../spend/price-book.ts'
import type { SpendMeter } from '../spend/spend-meter.ts'
import type { VectorStores } from '../vector-stores/vector-stores.ts'
import { composeFailover, type FailoverModule, type FailoverParts } from './compose-failover.ts'
import { composePii } from './compose-pii.ts'
import { composeRouting, type RoutingModule } from './compose-routing.ts'
import type { MediaFiles } from './open-media-files.ts'
import type { OpenModels } from './open-models.ts'

/** Limit of one image (threats FETCH-2); other media may be as large as a request's body. */
const IMAGE_BYTES = 20_000_000
/** Limit of one request's media: a message to a backend has 50 MiB, and base64 adds a third. */
const MEDIA_REQUEST_BYTES = 32 * 1024 * 1024
/** Limit of all requests' media together. */
const MEDIA_TOTAL_BYTES = 256 * 1024 * 1024
const MEDIA_FETCH_MS = 30_000

/** Options of {@link composeInference}. */
export interface InferenceParts extends FailoverParts, ToolSources {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'get'>
  readonly directory: Parameters<typeof createResolve>[0] & Pick<ModelDirectory, 'find' | 'list'>
  readonly openFolder: OpenModels['openFolder']
  /** Files of the server, which no model may read. */
  readonly places: Pick<OwnPlaces, 'holdsFile' | 'reserves'>
  /** Fetches addresses in requests. */
  readonly outbound: OutboundClient
  /** The user agent of requests to other servers. */
  readonly userAgent: string
  /** Folders of files that backends read and write. */
  readonly media: Pick<MediaFiles, 'drafts' | 'uploads'>
  readonly checkUpstream: CheckUpstream
  readonly quotas: Pick<Quotas, 'reserve' | 'hasLimits'>
  /** How end users are stored. */
  readonly endUsers: Pick<EndUserNaming, 'name' | 'hash'>
  /** Knows what requests cost, for budgets. */
  readonly meter: SpendMeter
  /** The id of this server, which marks its unfinished files. */
  readonly serverId: string
  readonly traces: TraceRecorder
  readonly backendTraces: BackendTraceRecorder
  readonly observeStage: StageObserver | undefined
  /** The vector stores of this process. */
  readonly vectorStores: { open(): Promise<VectorStores> }
  /** Keeps the tokens of masked values over the requests of a conversation. */
  readonly piiConversations: RequestFilterOptions['conversations']
  /** Gives the key of the values that the PII filter invents. */
  readonly piiFakeKey: () => Uint8Array
  /** Answers requests that name an agent. @default no agents */
  readonly predictAgent?: PredictAgent | undefined
  /** Sends requests for models of peers to them. */
  readonly relayToPeer: RelayUpstream
  /** The labelled texts of routers. @default files in the data folder */
  readonly corpusStore: CorpusStore | undefined
  /** Prices of models, for routers that select by cost. */
  readonly prices: PriceBook
  /** Facts about callers, for rules of routers. @default unknown */
  readonly callers?: CallerFacts | undefined
}

/** The request core of every inference route, with the parts beside it. */
export interface InferenceModule {
  readonly core: RequestCore
  /** Runs operations for sessions: no slot, no record, no trace. */
  readonly performQuietly: PerformInside
  /** The PII filter, for bodies of other servers. */
  readonly filter: Pick<RequestFilter, 'filterBody'>
  readonly scanner: TextScanner
  /** Number of running requests of a model. */
  inFlight(model: string): number
  readonly routing: Pick<RoutingModule, 'routers' | 'decisions' | 'admin' | 'refreshCorpus'>
  readonly failover: Pick<FailoverModule, 'groups' | 'watch' | 'follow'>
  close(): Promise<void>
}

/** The relay to upstreams and to peers. */
function composeRelay(
  { config, upstream, relayToPeer }: Pick<InferenceParts, 'config' | 'upstream' | 'relayToPeer'>,
  models: CloudModels,
): RelayUpstream {
  const relayToUpstream = createRelay({
    models,
    upstream,
    opaque: config.opaqueErrors ? OPAQUE_ERROR : undefined,
  })
  return (asked, ...rest) =>
    (asked.request.model.serving.kind === 'federated' ? relayToPeer : relayToUpstream)(asked, ...rest)
}

function composeResponseCache({ clock, metrics }: Pick<InferenceParts, 'clock' | 'metrics'>): ResponseCache {
  return createResponseCache({
    store: new ReplyStore({ now: () => clock.monotonic() }),
    onOutcome: (model, outcome) => metrics.server.countCached(model, outcome),
  })
}

/** Composes the stages. */
export function composeInference(parts: InferenceParts): InferenceModule {
  const { config, settings, directory, placement, media, upstream, outbound, secrets, userAgent } = parts
  const { audit, usage, traces, backendTraces, metrics, predictAgent, clock, logger: log } = parts
  const prompts = createPromptBuilder({ logger: log, openFolder: parts.openFolder })
  const slots = createModelSlots()
  const states = createSlotStore({
    serverId: parts.serverId,
    reserves: (path) => parts.places.reserves(path),
    clock,
    logger: log,
  })
  const planner = createPlanner({
    prompts,
    facts: createModelFactsReader(),
    rules: createReplyRuleBook({ logger: log }),
    grammars: createCompileCache(),
  })
  const bare = createBackendExecutor(placement, planner, { prompts, drafts: media.drafts, slots: states })
  const executor = traceExecutor(bare, backendTraces)
  const pii = composePii({
    ...parts,
    executor,
    findModel: (name) => directory.find(name),
    defaults: () => settings.get('pii_default_detectors'),
    modelsPath: config.modelsPath,
    events: audit,
    traces: backendTraces,
    conversations: parts.piiConversations,
    fakeKey: parts.piiFakeKey,
  })
  const cloudModels = createCloudModels({ secrets, userAgent, checkUpstream: parts.checkUpstream })
  const failover = composeFailover(parts, cloudModels)
  const translate = traceTranslation(createTranslation({ models: cloudModels, upstream }), backendTraces)
  const ownStores = createOwnStores(() => parts.vectorStores.open())
  const createCalls = (taken: ModelSlots, used = executor): ModelCalls =>
    createModelCalls({ executor: used, translate, failover: failover.withSlots(taken), ownStores, predictAgent })
  const routing = composeRouting({
    perform: performInside(createCalls(NO_SLOTS)),
    load: loadWith(placement),
    filter: pii.filter,
    prompts,
    findModel: (name) => directory.find(name),
    listModels: () => directory.list(),
    corpusStore: parts.corpusStore ?? createCorpusFiles({ folder: join(config.dataPath, CORPUS_FOLDER) }),
    knownGroups: () => failover.groups.known(),
    prices: parts.prices,
    callers: parts.callers ?? {},
    registry: parts.registry,
    clock,
    logger: log,
  })
  const reader = createMediaReader({ outbound, limits: mediaLimits(config) })
  const { toolServers, assistantTools, fileSearch, agentTools } = parts
  const tools = { toolServers, assistantTools, fileSearch, agentTools }
  const models = createToolLoop(createCalls(slots), { ...tools, media: reader, clock })
  const relay = composeRelay(parts, cloudModels)
  const cache = composeResponseCache(parts)
  const core = createRequestCore(
    {
      body: readRequestBody,
      resolve: createResolve(directory),
      globalLimit: createGlobalLimit(createSlotCounter(), config.maxConcurrentBackendRequests),
      router: createRouterStage(routing.requests),
      access: createAccess(parts.quotas, { meter: parts.meter, endUsers: parts.endUsers, now: () => clock.now() }),
      modelLimit: createModelLimit(slots, audit),
      pii: createPiiStage(pii.filter),
      parse: createParse({ attacher: createMediaAttacher(reader), reader, uploads: media.uploads }),
      model: createModelStage({
        models,
        relay: traceRelay(relay, backendTraces),
        usage,
        metrics,
        clock,
        endUsers: parts.endUsers,
        cache,
      }),
    },
    { observe: parts.observeStage, traces, onEnd: noteEnds(metrics.server, routing) },
  )
  return {
    core,
    performQuietly: performInside(createCalls(NO_SLOTS, bare)),
    filter: pii.filter,
    scanner: pii.scanner,
    inFlight: (model) => slots.taken(model),
    routing,
    failover,
    async close() {
      await Promise.all([failover.close(), pii.close(), routing.close()])
    },
  }
}

/** Counts requests that have ended, and notes how the models of routers did. */
function noteEnds(
  series: InferenceParts['metrics']['server'],
  { observe }: Pick<RoutingModule, 'observe'>,
): CoreOptions['onEnd'] {
  return (ledger, thrown) => {
    countRequest(series, ledger, thrown)
    observe(ledger, thrown)
  }
}

/** Runs operations for classifiers inside a request: no slot, no record, a ledger that nobody reads. */
function performInside(calls: ModelCalls): PerformInside {
  return (request, model, context) => {
    const ledger = new RequestLedger(model.name, model)
    const turns = createTurns({ ledger, filtered: { splices: [] } })
    return calls.perform(request, model, { context, ledger, turns, upstreamChat: undefined, bodyBytes: 0 })
  }
}

/** Waits for a model as a request for it would: no longer than `--model-load-wait`. */
function loadWith(
  placement: Placement,
): (model: ModelConfig, options: { readonly signal: AbortSignal }) => Promise<void> {
  return async (model, options) => {
    if (model.serving.kind !== 'backend' && model.serving.kind !== 'instance') return
    const lease = await placement.place(model, options)
    lease.release()
  }
}

/** Has room for every call: inside a request only the request counts. */
const NO_SLOTS: ModelSlots = { take: () => () => undefined }

function mediaLimits({ uploadLimitBytes }: ServerConfig): MediaLimits {
  return {
    imageBytes: IMAGE_BYTES,
    otherBytes: uploadLimitBytes,
    requestBytes: MEDIA_REQUEST_BYTES,
    totalBytes: MEDIA_TOTAL_BYTES,
    fetchMs: MEDIA_FETCH_MS,
  }
}
