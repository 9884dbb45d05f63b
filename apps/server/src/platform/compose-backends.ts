import { randomInt } from 'node:crypto'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { detectBuildFamily } from '../backends/build-family.ts'
import {
  type BackendCatalog,
  type BackendCatalogOptions,
  type BuiltInBackend,
  createBackendCatalog,
} from '../backends/catalog.ts'
import type { Environment } from '../backends/child-environment.ts'
import { createProcessRecord, type ProcessRecord, reapOrphans } from '../backends/process-record.ts'
import { type BackendLogs, createSupervisor } from '../backends/supervisor.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import { parseBudget } from '../config/memory-budget.ts'
import type { ServerConfig } from '../config/schema.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { readDeviceMemory } from '../monitoring/drm-vram.ts'
import { createMemoryPressure, type MemoryPressure } from '../monitoring/memory-pressure.ts'
import { createProcessStats, type ProcessStats } from '../monitoring/process-stats.ts'
import type { BackendTraceRecorder } from '../monitoring/recorders.ts'
import type { ServerSeries } from '../monitoring/server-series.ts'
import type { Clock, Logger } from '../ports.ts'
import { createLoadCooldown } from '../residency/cooldown.ts'
import { createKeepAlive, type KeepAlive } from '../residency/keep-alive.ts'
import { readEvictionPolicy, readWatchdogPolicy } from '../residency/policies.ts'
import { createResidency, type Residency, type WatchedModel } from '../residency/residency.ts'
import { toLoadRequest } from '../residency/to-load-request.ts'
import { startWatchdog, type Watchdog } from '../residency/watchdog.ts'
import type { Settings } from '../settings/settings.ts'

/** The backends of a server with their models. */
export interface BackendModule {
  readonly catalog: BackendCatalog
  readonly residency: Residency
  readonly logs: BackendLogs
  readonly watchdog: Watchdog
  readonly keepAlive: KeepAlive
  /** Has the watchdog and the keep-alive watch models of other machines too. */
  watchElsewhere(watched: () => readonly WatchedModel[]): void
  readonly memory: MemoryPressure
  /** Memory and processor time of backend processes. */
  readonly sizes: ProcessStats
  /** Processes that the next server ends if this one is killed. */
  readonly record: ProcessRecord
  /** Stops the backends: asks them first, and kills them after the grace. */
  stop(options: { readonly graceMs: number }): Promise<void>
  /** Sends KILL to every backend, for an exit that waits for nothing. */
  killNow(): void
  /** Ends the watchdog, the keep-alive, and every remaining backend. */
  close(): Promise<void>
}

/** Options of {@link composeBackends}. */
export interface BackendParts {
  readonly config: ServerConfig
  readonly settings: Settings
  readonly environment: Environment
  readonly builtIn: Readonly<Record<string, BuiltInBackend>>
  readonly inProcess: BackendCatalogOptions['inProcess']
  /** @throws {SvcError} `unavailable` once the data path no longer belongs to this server */
  readonly checkDataPath: () => void
  /** @throws {SvcError} for a model with a file of the server among its files */
  readonly checkFiles: (model: ModelConfig) => Promise<void>
  readonly traces: BackendTraceRecorder
  readonly series: ServerSeries
  readonly clock: Clock
  readonly logger: Logger
}

/** Composes the catalog of backends, their processes, and the residency of models. */
export async function composeBackends(parts: BackendParts): Promise<BackendModule> {
  const { config, settings, environment, clock, logger } = parts
  const recordFile = join(config.dataPath, 'backends.json')
  await reapOrphans({ file: recordFile, clock, logger })
  const record = createProcessRecord({
    file: recordFile,
    async writeFile(path, content) {
      parts.checkDataPath()
      await writeFileAtomic(path, content, { mode: 0o600 })
    },
    logger,
  })
  const supervisor = createSupervisor({
    environment,
    modelsPath: config.modelsPath,
    externalToken: config.grpcAuthToken,
    socketParent: tmpdir(),
    keepsOutput: () => settings.get('enable_backend_logging'),
    record,
    clock,
    logger,
  })
  const catalog = await createBackendCatalog({
    folders: [config.backendsPath, config.backendsSystemPath],
    builtIn: parts.builtIn,
    inProcess: parts.inProcess,
    external: Object.fromEntries(settings.externalBackends()),
    buildFamily: await detectBuildFamily({ forced: config.forceMetaBackendCapability }),
    logger,
  })
  const randomSeed = randomInt(2 ** 31)
  const sizes = createProcessStats({ clock })
  const residency = createResidency({
    catalog,
    supervisor,
    toLoadRequest: (model) => toLoadRequest(model, { randomSeed }),
    checkFiles: parts.checkFiles,
    cooldown: createLoadCooldown({ clock, firstMs: config.modelLoadFailureCooldownMs }),
    modelLoadWaitMs: config.modelLoadWaitMs,
    eviction: () => readEvictionPolicy(settings),
    measureMemory: async (pid) => {
      const [figures, device] = await Promise.all([sizes.read(pid), readDeviceMemory(pid)])
      return figures && figures.rssBytes + (device ?? 0)
    },
    forceBusyStops: config.forceBackendShutdown,
    traces: parts.traces,
    onLoad: (model, load) => parts.series.countLoad(model, load),
    onEvict: () => parts.series.countDeparture('eviction'),
    clock,
    logger,
  })
  const memory = createMemoryPressure({ clock, budget: () => parseBudget(settings.get('vram_budget')) })
  let elsewhere: () => readonly WatchedModel[] = () => []
  const watched = (): readonly WatchedModel[] => [...residency.watched(), ...elsewhere()]
  const watchdog = startWatchdog({
    watched,
    policy: () => readWatchdogPolicy(settings),
    readMemory: () => memory.read(),
    onStop: (why) => parts.series.countDeparture(why),
    clock,
    logger,
  })
  const keepAlive = createKeepAlive({ watched, clock, logger })
  return {
    catalog,
    residency,
    logs: supervisor.logs,
    watchdog,
    keepAlive,
    watchElsewhere(list) {
      elsewhere = list
    },
    memory,
    sizes,
    record,
    async stop(options) {
      await residency.close(options)
      await supervisor.close(options)
    },
    killNow: () => supervisor.killNow(),
    async close() {
      await keepAlive.close()
      await watchdog.close()
      supervisor.killNow()
    },
  }
}
