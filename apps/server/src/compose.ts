import { mkdir } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { createHttpUpstream, readTrustStore } from '@svc/http-client'
import { createAuditEvents } from './audit/pii-events.ts'
import type { BuiltInBackend } from './backends/catalog.ts'
import type { Environment } from './backends/child-environment.ts'
import { capabilitiesOf, inputModalitiesOf, outputModalitiesOf } from './catalog/capabilities.ts'
import { formatProblem } from './catalog/config-problem.ts'
import { createConfigStore } from './catalog/config-store.ts'
import { defaultThreads } from './catalog/default-threads.ts'
import type { DemoModelSource } from './catalog/loose-weights.ts'
import { openModelFolder } from './catalog/model-folder.ts'
import { createModelDirectory, type ModelDirectory } from './catalog/resolve.ts'
import { PATTERN_BACKEND } from './catalog/serving.ts'
import { composeBackends } from './compose-backends.ts'
import { composeInference } from './compose-inference.ts'
import { composeRoutes } from './compose-routes.ts'
import type { ConfigSources } from './config/load.ts'
import { formatAddress } from './config/places.ts'
import { parseDuration } from './config/quantities.ts'
import type { ServerConfig } from './config/schema.ts'
import { StartRefused } from './config/start-refused.ts'
import { openDatabase } from './db/open-database.ts'
import { lockDataPath } from './files/file-lock.ts'
import { removeStaleTemporaries } from './files/temporary-files.ts'
import { createApp } from './http/app.ts'
import { createBodyReader } from './http/body.ts'
import { grantConnections, readDescriptorLimit } from './http/connection-limit.ts'
import { createEdge } from './http/edge.ts'
import { listen } from './http/listen.ts'
import { type Authenticator, createLegacyKeyAuthenticator } from './http/middleware/authenticate.ts'
import { createGate } from './http/middleware/authorize.ts'
import { trustedProxies } from './http/middleware/client-address.ts'
import { corsPolicy } from './http/middleware/cors.ts'
import { hostPolicy } from './http/middleware/host.ts'
import { isPublicBind } from './http/public-bind.ts'
import type { RouteRow } from './http/route-row.ts'
import type { AroundStage } from './inference/pipeline.ts'
import { createInProcessBackends } from './inference/upstream/in-process-backends.ts'
import { createUpstreamCheck } from './inference/upstream/own-address.ts'
import { secretsOf } from './inference/upstream/secrets.ts'
import type { RootLogger } from './log.ts'
import { startDiagnostics } from './monitoring/diagnostics.ts'
import { readDeviceMemory } from './monitoring/drm-vram.ts'
import { createMetrics } from './monitoring/metrics.ts'
import { createProcessStats } from './monitoring/process-stats.ts'
import type { Clock } from './ports.ts'
import { createReadiness } from './readiness.ts'
import { preload } from './residency/preload.ts'
import { createLiveResponses } from './responses/live-responses.ts'
import { createResponseStore } from './responses/response-store.ts'
import { createSettings } from './settings/settings.ts'
import { stopServing } from './stop-serving.ts'

/** How long a look at a model's file counts: less than a client needs to change it and to ask. */
const LOOK_MS = 2
/** A sender may be silent for this long. */
const BODY_IDLE_MS = 30_000
/** Why a server is not ready that loads what `--load-to-memory` names. */
const PRELOADING = 'startup preload in progress'
/** All request bodies in memory together (threats REL-2). */
const BODIES_TOTAL_BYTES = 256 * 1024 * 1024

/** What a server is made from. */
export interface ComposeOptions {
  readonly config: ServerConfig
  readonly sources: ConfigSources
  /** As `/version` shows it. */
  readonly version: string
  readonly log: RootLogger
  readonly clock: Clock
  /** The environment of this process; backends get its allowed part. */
  readonly environment: Environment
  /** Backends that come with the server, by name. */
  readonly builtInBackends: Readonly<Record<string, BuiltInBackend>>
  readonly demoModels: readonly DemoModelSource[]
  /** Who finds out who is calling. @default the shared keys of the settings */
  readonly authenticator?: Authenticator | undefined
  /** Laid around each stage of the request path. @default nothing */
  readonly aroundStage?: AroundStage | undefined
}

/** A running server. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  /** Whether every visitor needs a key. */
  readonly needsKey: boolean
  /** Who answers a chat that names no model; undefined where none could. */
  defaultModel(): string | undefined
  /** The rows it serves. */
  readonly routes: readonly RouteRow[]
  /**
   * Stops within 5 s: takes no new requests, lets running ones finish for a while, ends the rest with an error in
   * their format, then stops the backends and closes what is open.
   */
  close(): Promise<void>
  /** KILL to every backend, for an exit that waits for nothing. */
  killBackends(): void
}

/** Builds a server and starts it. The only place where rooms meet. */
export async function compose(options: ComposeOptions): Promise<RunningServer> {
  const { config, log, clock } = options
  const closers: (() => Promise<unknown> | unknown)[] = []
  try {
    return await build(options, closers)
  } catch (error) {
    for (const close of closers.reverse()) await close()
    throw error
  }

  async function build(
    { sources, version, environment }: ComposeOptions,
    opened: typeof closers,
  ): Promise<RunningServer> {
    for (const folder of [config.modelsPath, config.backendsPath]) await mkdir(folder, { recursive: true })
    const lock = await lockDataPath(config.dataPath, { clock })
    opened.push(() => lock.close())
    for (const folder of [config.modelsPath, config.dataPath, config.configDir]) {
      await removeStaleTemporaries(folder, { now: clock.now() })
    }
    const database = await openDatabase({
      url: config.authDatabaseUrl,
      dataPath: config.dataPath,
      appVersion: version,
      logger: log,
      clock,
    })
    opened.push(() => database.close())
    const settings = await createSettings({ config, sources, logger: log, clock })
    opened.push(() => settings.close())
    const storedResponses = createResponseStore({
      database,
      ttlMs: () => parseDuration(settings.get('open_responses_store_ttl')) ?? config.openResponsesStoreTtlMs,
      clock,
    })
    await storedResponses.failInterrupted()
    await storedResponses.trim()
    const liveResponses = createLiveResponses({ store: storedResponses, clock, logger: log })
    opened.push(() => liveResponses.close())

    const sharedKeys = createLegacyKeyAuthenticator(settings.legacyKeys())
    const authenticator = options.authenticator ?? sharedKeys
    warnOfOpenDoor(config, authenticator.configured, log)

    const ca = await readTrustStore({
      environment,
      onEmpty: (variable, file) => log.warn({ file }, `${variable} holds no certificates`),
    })
    const cloud = createHttpUpstream({ ca })
    opened.push(() => cloud.close())
    const secrets = secretsOf(environment)
    let ownPort: number | undefined
    const checkUpstream = createUpstreamCheck({
      host: config.address.host,
      port: () => ownPort,
      baseUrl: config.externalBaseUrl,
      clock,
    })
    const backends = await composeBackends({
      config,
      settings,
      environment,
      builtIn: options.builtInBackends,
      inProcess: createInProcessBackends({ upstream: cloud, secrets, ca, checkUpstream, logger: log }),
      checkDataPath: () => {
        const reason = lock.lossReason()
        if (reason !== undefined)
          throw new SvcError('unavailable', `the data folder was taken away: ${reason}`, { code: 'data_folder_gone' })
      },
      clock,
      logger: log,
    })
    opened.push(() => backends.close())
    const { catalog, residency, memory, sizes } = backends
    const store = createConfigStore({
      folder: config.modelsPath,
      demo: { models: options.demoModels, mode: config.demoModel },
      openFolder: (path) => openModelFolder(path, { freshMs: LOOK_MS }),
      logger: log,
    })
    // warnings and problems of the folder are told at the start, not with the first request
    await store.reload()
    const threads = defaultThreads()
    const directoryNow = () =>
      createModelDirectory(store, {
        threads: settings.get('threads'),
        defaultThreads: threads,
        f16: settings.get('f16'),
        debug: settings.get('debug'),
        contextSize: settings.get('context_size'),
      })
    let current = directoryNow()
    /** The models as the settings are now. */
    const directory: ModelDirectory = {
      resolve: (name, how) => current.resolve(name, how),
      find: (name) => current.find(name),
      defaultFor: (usecase) => current.defaultFor(usecase),
      faultOf: (name) => current.faultOf(name),
      list: (listing) => current.list(listing),
    }
    const metrics = createMetrics()
    const stopping: { reason: string | undefined } = { reason: config.loadToMemory.length > 0 ? PRELOADING : undefined }
    const compression = { enabled: !config.disableHttpCompression, minLength: config.httpCompressionMinLengthBytes }
    const bodies = createBodyReader({
      maxBytes: config.uploadLimitBytes,
      idleMs: BODY_IDLE_MS,
      totalBytes: BODIES_TOTAL_BYTES,
    })
    const events = createAuditEvents({ database, clock, logger: log })
    opened.push(() => events.close())
    const inference = composeInference({
      config,
      settings,
      directory,
      residency,
      upstream: cloud,
      secrets,
      ca,
      userAgent: `svc/${version.split(' ', 1)[0]}`,
      checkUpstream,
      events,
      metrics,
      aroundStage: options.aroundStage,
      clock,
      logger: log,
    })
    opened.push(() => inference.close())
    const processes = createProcessStats({ clock })
    const { routes, reserved } = composeRoutes({
      config,
      clock,
      store: storedResponses,
      live: liveResponses,
      pipeline: inference.pipeline,
      compression,
      bodies,
      models: {
        list: (listing) =>
          directory.list(listing).map((model) => ({
            id: model.name,
            createdAt: model.modifiedAt,
            capabilities: () => ({
              capabilities: capabilitiesOf(model),
              input_modalities: inputModalitiesOf(model),
              output_modalities: outputModalitiesOf(model),
            }),
          })),
        async reload() {
          const report = await store.reload()
          return { problems: report.problems.map(formatProblem) }
        },
      },
      settings: {
        describe: () => settings.describe(),
        update: (patch) => settings.update(patch),
        text: (key) => settings.get(key),
      },
      // Names of models are nothing for visitors without a key.
      homeExample: () =>
        authenticator.configured
          ? { model: undefined, needsKey: true }
          : { model: directory.defaultFor('chat')?.name, needsKey: false },
      readiness: createReadiness({
        passing: () => {
          const { reason } = stopping
          if (reason === undefined) return undefined
          return { status: reason === PRELOADING ? 'starting' : 'stopping', reason }
        },
        lock,
        dataPath: config.dataPath,
        database,
        clock,
      }),
      resources: {
        memory,
        modelsPath: config.modelsPath,
        watchdog: () => ({
          reclaims: settings.get('memory_reclaimer_enabled'),
          threshold: settings.get('memory_reclaimer_threshold'),
          interval: settings.get('watchdog_interval'),
        }),
      },
      system: {
        version,
        registry: metrics.registry,
        metricsAccess: config.disableMetricsEndpoint ? undefined : config.metricsAccess,
        // The detector by patterns runs in the server itself and needs no program.
        backendNames: () => [...new Set([...catalog.names(), PATTERN_BACKEND])].sort(),
        loaded: () => residency.loaded(),
        processOf: (pid) => processes.read(pid),
        vramOf: (pid) => readDeviceMemory(pid),
      },
      ollama: {
        directory,
        loaded: () => residency.loaded(),
        vramOf: (pid) => readDeviceMemory(pid),
        keepAlive: backends.keepAlive,
        clock,
      },
      pii: { scanner: inference.scanner, events },
      middleware: {
        models: () => directory.list(),
        defaultDetectors: () => settings.get('pii_default_detectors'),
        countEvents: () => events.count(),
        inFlight: inference.inFlight,
      },
      failover: {
        ...inference.failover,
        models: directory,
      },
      backends: {
        models: directory,
        residency,
        processOf: (pid) => sizes.read(pid),
      },
    })

    const host = hostPolicy(config.externalBaseUrl, config.allowedHosts)
    const corsFor = (): ReturnType<typeof corsPolicy> =>
      corsPolicy({ allowOrigins: settings.get('cors_allow_origins'), authConfigured: authenticator.configured })
    let cors = corsFor()
    opened.push(
      settings.subscribe((changed) => {
        if (changed.has('api_keys')) sharedKeys.replace(settings.legacyKeys())
        if (changed.has('external_backends')) {
          catalog
            .setExternal(Object.fromEntries(settings.externalBackends()))
            .catch((error: unknown) => log.error({ err: error }, 'external backends could not be read'))
        }
        cors = corsFor()
        current = directoryNow()
        residency.reconsider()
        backends.watchdog.wake()
        log.level = settings.get('debug') ? 'debug' : config.logLevel
      }),
    )
    opened.push(
      store.subscribe(({ changed, removed }) => {
        residency.forget([...changed, ...removed])
        inference.failover.follow([...changed, ...removed])
      }),
    )

    const edge = createEdge({
      gate: createGate(authenticator, {
        pathWithoutAuth: config.pathWithoutAuth,
        getExemptions: config.disableApiKeyRequirementForHttpGet ? config.httpGetExemptedEndpoints : [],
      }),
      cors: () => cors,
      host: () => (authenticator.configured ? undefined : host),
      proxies: trustedProxies(config.trustedProxies),
      baseUrl: config.externalBaseUrl,
      compression,
      machineTag: config.machineTag,
      opaqueErrors: config.opaqueErrors,
      bodies,
      metrics,
      clock,
      log,
    })
    opened.push(
      settings.subscribe((changed) => {
        if (changed.has('api_keys')) edge.reauthorize()
      }),
    )
    const maxConnections = limitConnections(config.maxConnections, log)
    const listener = await listen(createApp(routes, reserved, edge), config.address, {
      httpReader: config.httpReader,
      maxConnections,
    }).catch((cause: unknown) => {
      throw new StartRefused(
        `cannot listen on ${formatAddress(config.address)}: ${cause instanceof Error ? cause.message : String(cause)}; --address HOST:PORT (or SVC_ADDRESS) takes another`,
        { exitCode: 75, cause },
      )
    })
    ownPort = listener.port
    const diagnostics = config.pprof ? await startDiagnostics({ address: config.pprofAddress, clock, log }) : undefined
    if (diagnostics !== undefined) log.info({ url: diagnostics.url }, 'diagnostics are listening')

    const preloading = new AbortController()
    const preloaded = preload(config.loadToMemory, {
      resolve: (name) => directory.resolve(name),
      residency,
      signal: preloading.signal,
      logger: log,
    }).then(() => {
      if (stopping.reason === PRELOADING) stopping.reason = undefined
    })

    return {
      url: listener.url,
      port: listener.port,
      needsKey: authenticator.configured,
      defaultModel: () => directory.defaultFor('chat')?.name,
      routes,
      killBackends: () => backends.killNow(),
      async close() {
        stopping.reason = 'the server is stopping'
        preloading.abort()
        inference.failover.watch.dropReaders()
        await preloaded
        await stopServing({
          listener,
          diagnostics,
          clock,
          edge,
          stopBackends: (graceMs) => liveResponses.close().then(() => backends.stop({ graceMs })),
        })
        for (const close of opened.reverse()) await close()
      },
    }
  }
}

function limitConnections(asked: number, log: RootLogger): number {
  const { max, isLess } = grantConnections(asked, readDescriptorLimit())
  if (isLess) log.warn({ asked, max }, '--max-connections is above what the number of open files leaves (ulimit -n)')
  return max
}

function warnOfOpenDoor(config: ServerConfig, authConfigured: boolean, log: RootLogger): void {
  if (authConfigured || !isPublicBind(config.address.host ?? '')) return
  if (config.requireAuthOnPublicBind) {
    throw new StartRefused(
      'no key is set and the address can be reached from the internet: set --api-keys or listen on another address',
      { exitCode: 78 },
    )
  }
  log.warn(
    { address: formatAddress(config.address) },
    'ANYBODY WHO REACHES THIS ADDRESS HAS FULL ACCESS: no key is set on a public address',
  )
}
