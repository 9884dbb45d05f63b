import type { LookupFunction } from 'node:net'
import { join } from 'node:path'
import type { LimitNotice } from '@svc/auth/limits'
import type { User } from '@svc/auth/ports'
import type { CorpusStore } from '@svc/router/corpus'
import { createAgentModels } from '../agents/agent-models.ts'
import { createAuditLog } from '../audit/audit-log.ts'
import { createChangeLog } from '../audit/changes.ts'
import type { BuiltInBackend } from '../backends/catalog.ts'
import type { Environment } from '../backends/child-environment.ts'
import { joinFurtherModels } from '../catalog/further-models.ts'
import { createKeyFileGate } from '../catalog/key-file-gate.ts'
import type { DemoModelSource } from '../catalog/loose-weights.ts'
import { openWrittenFiles } from '../catalog/written-files.ts'
import { checkCluster } from '../config/cluster.ts'
import type { ConfigSources } from '../config/load.ts'
import type { ServerConfig } from '../config/schema.ts'
import { createBodyReader } from '../http/body.ts'
import { createFormReader } from '../http/forms/form-reader.ts'
import { createInnerCalls } from '../http/inner-calls.ts'
import type { Authenticator } from '../http/middleware/authenticate.ts'
import { createTunnelledClients } from '../http/tunnelled-clients.ts'
import type { StageObserver } from '../inference/core/pipeline.ts'
import { createDelivery } from '../inference/replies/deliver-reply.ts'
import { createPhaseTiming, joinObservers } from '../inference/tracing/phase-timing.ts'
import { findCaFolder } from '../interception/ca-folder.ts'
import { createKeyFiles } from '../key-files/key-files.ts'
import { createOwnFileCheck } from '../key-files/own-files.ts'
import { createOwnPlaces } from '../key-files/own-places.ts'
import type { RootLogger } from '../logging/log.ts'
import { createMetrics } from '../monitoring/metrics.ts'
import type { UsageRecorder } from '../monitoring/recorders.ts'
import { readServerId } from '../operations/server-id.ts'
import { CONVERSATIONS_KEY, createConversationTokens } from '../pii/conversation-tokens.ts'
import { tidyConversations } from '../pii/tidy-conversations.ts'
import { createLocalPlacement } from '../placement/placement.ts'
import type { Clock } from '../ports.ts'
import { createClientSecrets } from '../realtime/client-secrets.ts'
import { withClientSecrets } from '../realtime/secret-authenticator.ts'
import { tellLimitNotice } from '../spend/limit-notice.ts'
import type { PriceBook } from '../spend/price-book.ts'
import { createSpendMeter } from '../spend/spend-meter.ts'
import { createUsageRecords } from '../usage/record-usage.ts'
import type { Closers } from './closers.ts'
import { createDataPathCheck } from './data-path-check.ts'
import { followSettings } from './follow-settings.ts'
import { createLazyAssistant } from './lazy/lazy-assistant.ts'
import { createLazyFederation } from './lazy/lazy-federation.ts'
import { createLazyInference } from './lazy/lazy-inference.ts'
import { createLazyInterception } from './lazy/lazy-interception.ts'
import { createLazyPeerNetwork } from './lazy/lazy-peer-network.ts'
import { createLazyRealtime } from './lazy/lazy-realtime.ts'
import { createLazySpans } from './lazy/lazy-spans.ts'
import { createOpenStages } from './lazy/lazy-stages.ts'
import { createLazyToolServers } from './lazy/lazy-tool-servers.ts'
import { createLazyVectorStores } from './lazy/lazy-vector-stores.ts'
import { openAccounts, usesAccounts } from './open-accounts.ts'
import { openAgentParts } from './open-agents.ts'
import { openBackends, withRpcServers } from './open-backends.ts'
import { openData } from './open-data.ts'
import { openGalleries, recoverInstalls } from './open-galleries.ts'
import { openMediaFiles } from './open-media-files.ts'
import { openModels } from './open-models.ts'
import { openOperations } from './open-operations.ts'
import { openPrices } from './open-prices.ts'
import { openStorage } from './open-storage.ts'
import { openTraces } from './open-traces.ts'
import { openUpstreams } from './open-upstreams.ts'
import type { Platform } from './platform.ts'
import { showLiveFigures } from './show-live-figures.ts'
import { toNewAdmin } from './to-new-admin.ts'
import { warnOfOpenDoor } from './warn-of-open-door.ts'

/** Maximum pause of a client that sends a body. */
const BODY_IDLE_MS = 30_000
/** Limit of all request bodies in memory together (threats REL-2). */
const BODIES_TOTAL_BYTES = 256 * 1024 * 1024

/** Options of {@link openPlatform}. */
export interface PlatformOptions {
  /** The labelled texts of routers. @default files in the data folder */
  readonly corpusStore?: CorpusStore | undefined
  /** The prices of models. @default those of the price list and of model files */
  readonly prices?: PriceBook | undefined
  readonly config: ServerConfig
  readonly sources: ConfigSources
  /** The version of the server, as `/version` shows it. */
  readonly version: string
  readonly log: RootLogger
  readonly clock: Clock
  /** The environment of this process; backends get its allowed part. */
  readonly environment: Environment
  /** Shipped backends by name. */
  readonly builtInBackends: Readonly<Record<string, BuiltInBackend>>
  readonly demoModels: readonly DemoModelSource[]
  /** The folder of the packed web interface. @default none */
  readonly webFolder?: string | undefined
  /** Finds out who is calling. @default the accounts and shared keys of the server */
  readonly authenticator?: Authenticator | undefined
  /** Observes each stage that a request enters. @default nothing */
  readonly observeStage?: StageObserver | undefined
  /** Resolves the names of hosts for the intercepting proxy. @default the system's resolver */
  readonly lookup?: LookupFunction | undefined
}

/** The facts of the server that the platform cannot know before the features are made. */
export interface LaterFacts extends Pick<Platform, 'routes' | 'unready' | 'ownPort'> {
  /** Whether the server will listen at its address. A command does not. */
  readonly listens: boolean
}

/** Opens the parts that features share, in the order of their dependencies. */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a list of parts in the order of their dependencies
export async function openPlatform(
  options: PlatformOptions,
  { listens, routes, unready, ownPort }: LaterFacts,
  closers: Closers,
): Promise<Platform> {
  const { config, version, clock, log } = options
  if (listens) checkCluster(config, { hasAccounts: usesAccounts(config) })
  const data = await openData({ ...options, listens }, closers)
  const { bus, cluster, lock, database, settings } = data
  const hasModel = (name: string): boolean => modelFiles.get(name) !== undefined
  const onNewAdmin = (user: User): void => void changes.record(toNewAdmin(user))
  const onLimitNotice = (notice: LimitNotice): void => tellLimitNotice(notice, { series: metrics.server, log })
  const accounts = await openAccounts(
    { config, settings, database, hasModel, onNewAdmin, onLimitNotice, lock, bus, clock, log },
    closers,
  )
  const realtimeSecrets = createClientSecrets({
    queries: database.queries,
    clock,
    hashKey: () => accounts.deriveKey('client secrets of realtime sessions'),
  })
  const authenticator = withClientSecrets(options.authenticator ?? accounts.auth.authenticator, {
    secrets: realtimeSecrets,
    sharedKeys: accounts.auth.sharedKeys,
    resolveModel: (name) => models.find(name)?.name,
    clock,
  })
  if (listens) {
    const { isConfigured: isAuthConfigured } = authenticator
    warnOfOpenDoor(config, { isAuthConfigured, isFederated: settings.get('federated'), log })
  }
  await recoverInstalls({ config, clock, log })
  const places = createOwnPlaces(config)
  const keyFiles = createKeyFiles(places)
  const written = await openWrittenFiles({ ...config, logger: log })
  const keyFileGate = createKeyFileGate({ keyFiles, written })
  const sharedFiles =
    cluster &&
    (await (await import('./open-shared-files.ts')).openSharedFiles({ config, written, database, bus, clock, log }))
  const userAgent = `svc/${version.split(' ', 1)[0]}`
  const upstreams = await openUpstreams(
    { config, settings, environment: options.environment, userAgent, keyFiles, ownPort, clock, log },
    closers,
  )
  const metrics = createMetrics()
  const spans = createLazySpans({
    environment: options.environment,
    version: version.split(' ', 1)[0] ?? version,
    ca: upstreams.ca,
    wayOut: upstreams.wayOut,
    clock,
    logger: log,
  })
  closers.push(() => spans.close())
  const traces = openTraces({ config, settings, spans, clock, log })
  closers.push(() => traces.close())
  const vectorStores = createLazyVectorStores({
    config,
    settings,
    checkAccess: createDataPathCheck(lock),
    clock,
    logger: log,
  })
  closers.push(() => vectorStores.close())
  const federation = createLazyFederation({
    config,
    ...upstreams,
    userAgent,
    series: metrics.server,
    clock,
    logger: log,
  })
  closers.push(() => federation.close())
  const tunnels = createTunnelledClients()
  const peerNetwork = createLazyPeerNetwork({
    config,
    settings,
    federation,
    ownPort,
    isAuthConfigured: () => authenticator.isConfigured,
    tunnels,
    clock,
    logger: log,
  })
  const backends = await openBackends(
    { ...options, environment: withRpcServers(options.environment, peerNetwork) },
    {
      ...data,
      ...upstreams,
      vectorStores,
      traces: traces.backends,
      series: metrics.server,
      checkFiles: createOwnFileCheck(places),
    },
    closers,
  )
  const agentModels = createAgentModels()
  const { modelFiles, models, openFolder, loadParser, useSettings } = await openModels({
    further: joinFurtherModels(agentModels, federation.models),
    config,
    settings,
    demoModels: options.demoModels,
    keyFileGate,
    bus,
    log,
  })
  closers.push(() => modelFiles.close())
  const prices = await openPrices({ config, listModels: () => models.list(), bus, clock, logger: log }, closers)
  const book = options.prices ?? prices.book
  const operations = await openOperations(
    { config, database, series: metrics.server, bus, isShared: cluster !== undefined, clock, log },
    closers,
  )
  const {
    modelGallery,
    backendGallery,
    close: closeGalleries,
  } = await openGalleries({
    config,
    settings,
    database,
    backends,
    modelFiles,
    operations,
    clock,
    log,
    client: upstreams.outbound,
    keyFileGate,
    places,
  })
  closers.push(closeGalleries)
  if (sharedFiles !== undefined) {
    const closing = new AbortController()
    const { signal } = closing
    const alone = <T>(change: () => Promise<T>): Promise<T> => modelGallery.changeFolder(change, { signal })
    const end = sharedFiles.follow({ reload: () => modelFiles.reload(), alone })
    closers.push(() => {
      closing.abort(new Error('the server stops'))
      return end()
    })
  }
  showLiveFigures(metrics.server, { backends, traces, spans })
  if (cluster !== undefined) {
    metrics.server.show({
      name: 'svc_bus_connected',
      help: 'Whether the message bus is connected: 1 or 0.',
      read: () => Number(cluster.messenger.isConnected),
    })
  }
  const compression = { enabled: !config.disableHttpCompression, minLength: config.httpCompressionMinLengthBytes }
  const bodies = createBodyReader({
    maxBytes: config.uploadLimitBytes,
    idleMs: BODY_IDLE_MS,
    totalBytes: BODIES_TOTAL_BYTES,
  })
  const storage = cluster && (await openStorage({ config, ...upstreams, clock, log }, closers))
  const bytes =
    cluster &&
    (await import('./open-shared-bytes.ts')).openSharedBytes(
      { database, objects: storage?.objects, clock, log },
      closers,
    )
  const media = await openMediaFiles({ config, database, bytes, clock, logger: log }, closers)
  const forms = createFormReader({ bodies, files: media.uploads })
  const audit = createAuditLog({ database, clock, logger: log })
  closers.push(() => audit.close())
  const changes = createChangeLog({ audit, clock, logger: log })
  const usage = config.disableStats
    ? NO_USAGE_RECORDS
    : createUsageRecords({
        stored: accounts.auth.usageRecorder,
        book,
        onCost: ({ model, ...cost }) => metrics.server.countCost(model, cost),
      })
  const onWorkers =
    cluster &&
    (await (
      await import('./workers/open-worker-placement.ts')
    ).openWorkerPlacement(
      {
        ...upstreams,
        config,
        settings,
        cluster,
        database,
        bus,
        catalog: backends.catalog,
        residency: backends.residency,
        objects: storage?.objects,
        findModel: (name) => models.find(name),
        checkFiles: createOwnFileCheck(places),
        shareModels: async () => sharedFiles?.shareModels(),
        frontEndId: await readServerId(config.dataPath),
        operations,
        clock,
        logger: log,
      },
      closers,
    ))
  if (onWorkers !== undefined) backends.watchElsewhere(onWorkers.watched)
  const placement = onWorkers?.placement ?? createLocalPlacement(backends.residency)
  const residency = onWorkers?.residency ?? backends.residency
  const serverId = await readServerId(config.dataPath)
  const sealing = { database, deriveKey: accounts.deriveKey, logger: log }
  const sealed = cluster && (await import('./open-sealed.ts')).openSealed(sealing)
  const toolServers = createLazyToolServers({
    isDisabled: config.disableMcp,
    outbound: upstreams.outbound,
    environment: options.environment,
    cwd: config.dataPath,
    version: version.split(' ', 1)[0] ?? version,
    sizes: backends.sizes,
    record: backends.record,
    signInFile: join(config.dataPath, 'mcp-sign-ins'),
    signInKey: () => accounts.deriveKey('sign-ins to mcp servers'),
    openRecords: sealed?.openRecords,
    clock,
    logger: log,
  })
  closers.push(async () => {
    await toolServers.close()
    await backends.record.settled()
  })
  const sharedCorpora =
    cluster && (await import('./open-shared-corpora.ts')).openSharedCorpora({ config, database, bus, clock, log })
  const piiConversations = createConversationTokens({
    queries: database.queries,
    clock,
    key: () => accounts.deriveKey(CONVERSATIONS_KEY),
  })
  const tidying = tidyConversations(piiConversations, { clock, logger: log })
  closers.push(() => tidying.close())
  const meter = createSpendMeter({ prices: book, clock })
  const inference = createLazyInference({
    meter,
    endUsers: accounts.endUsers,
    prices: book,
    config,
    settings,
    directory: models,
    openFolder,
    placement,
    media,
    ...upstreams,
    audit,
    usage,
    metrics,
    places,
    bus,
    clock,
    logger: log,
    traces: traces.requests,
    backendTraces: traces.backends,
    quotas: accounts.auth.quotas,
    serverId,
    userAgent,
    observeStage: joinObservers(
      options.observeStage,
      config.requestPhaseTiming ? createPhaseTiming({ clock }) : undefined,
    ),
    corpusStore: options.corpusStore ?? sharedCorpora?.store,
    vectorStores,
    toolServers,
    // They ask the routes of this server, so they are made after the request path.
    assistantTools: (options) => assistant.ownTools(options),
    piiConversations,
    piiFakeKey: () => accounts.deriveKey('invented values of the private text filter'),
    // Agents and documents ask models, so they are made after the request path.
    predictAgent: (request, agent, task) => agentParts.agents.predict(request, agent, task),
    fileSearch: (asked, options) => agentParts.fileSearch(asked, options),
    agentTools: (asked, options) => agentParts.agentTools(asked, options),
    relayToPeer: federation.relay,
    openSpans: () => spans.open(),
  })
  closers.push(() => inference.close())
  if (sharedCorpora !== undefined) {
    closers.push(sharedCorpora.follow(async (...changed) => inference.opened()?.routing.refreshCorpus(...changed)))
  }
  const openStages = createOpenStages({
    meter,
    inference,
    models,
    residency,
    quotas: accounts.auth.quotas,
    files: media.uploads,
    metrics,
    traces: traces.requests,
    clock,
  })
  const realtime = createLazyRealtime({
    openStages,
    models,
    settings,
    quotas: accounts.auth.quotas,
    clock,
    config,
  })
  const shared = { config, settings, database, bytes, accounts, models, bus, clock, logger: log }
  const agentParts = await openAgentParts(
    { ...shared, agentModels, serverId, core: inference.core, outbound: upstreams.outbound, temporary: media.uploads },
    closers,
  )
  const innerCalls = createInnerCalls()
  const assistant = createLazyAssistant({ settings, innerCalls, clock })
  const interception = createLazyInterception({
    config,
    settings,
    models,
    modelFiles,
    ownPort,
    audit,
    metrics,
    logger: log,
    ca: upstreams.ca,
    wayOut: upstreams.wayOut,
    environment: options.environment,
    lookup: options.lookup,
    caFolder: findCaFolder(config),
    // A folder that the operator names is their own choice.
    shareAuthority: config.mitmCaDir === undefined ? sealed?.shareAuthority : undefined,
    openFilter: async () => (await inference.open()).filter,
  })
  closers.push(
    followSettings({ config, settings, bus, log }, { backends, useSettings }),
    bus.subscribe('models.changed', ({ changed, removed }) => {
      backends.residency.forget([...changed, ...removed])
      for (const name of [...changed, ...removed]) toolServers.opened()?.follow(name, modelFiles.get(name))
    }),
  )
  return {
    outbound: upstreams.outbound,
    keyFileGate,
    places,
    webFolder: options.webFolder,
    config,
    version,
    bus,
    cluster,
    storage,
    clock,
    log,
    settings,
    database,
    lock,
    metrics,
    audit,
    changes,
    prices,
    traces,
    authenticator,
    accounts,
    models,
    modelFiles,
    loadParser,
    backends: { ...backends, residency },
    settleReplicas: onWorkers?.settle ?? (async () => 0),
    operations,
    modelGallery,
    backendGallery,
    inference,
    openStages,
    realtime,
    realtimeSecrets,
    federation,
    peerNetwork,
    interception,
    vectorStores,
    documents: agentParts.documents,
    piiConversations,
    agents: agentParts.agents,
    toolServers,
    assistant,
    assistantTools: assistant.ownTools,
    innerCalls,
    collections: agentParts.collections,
    skills: agentParts.skills,
    bodies,
    forms,
    generatedFiles: media.generated,
    compression,
    tunnels,
    routes,
    unready,
    ownPort,
    inferenceRoutes: {
      core: inference.core,
      deliverTo: createDelivery({ clock, opaqueErrors: config.opaqueErrors }),
      compression,
      bodies,
      forms,
    },
  }
}

/** Keeps no usage. */
const NO_USAGE_RECORDS: UsageRecorder = { record: () => undefined }
