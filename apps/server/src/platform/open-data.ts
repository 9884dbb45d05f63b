import type { Bus } from '../bus/bus.ts'
import { createBus } from '../bus/create-bus.ts'
import type { Nodes } from '../cluster/nodes/open-nodes.ts'
import type { ConfigSources } from '../config/load.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open-database.ts'
import { type FileLock, lockDataPath } from '../files/file-lock.ts'
import { findFolderProblem } from '../files/folder-access.ts'
import { makeFolder } from '../files/make-folder.ts'
import { removeStaleTemporaries } from '../files/temporary-files.ts'
import type { Clock, Logger } from '../ports.ts'
import { createSettings, type Settings } from '../settings/settings.ts'
import { createSettingsFolder, type SettingsFiles } from '../settings/settings-files.ts'
import type { Closers } from './closers.ts'
import type { ClusterConnection } from './open-cluster.ts'

/** Options of {@link openData}. */
export interface DataOptions {
  readonly config: ServerConfig
  readonly sources: ConfigSources
  readonly version: string
  readonly clock: Clock
  readonly log: Logger
  /** Whether the server will listen. A command joins no others. */
  readonly listens: boolean
}

/** What joins this server with others. */
export interface Cluster extends Omit<ClusterConnection, 'link'> {
  /** The workers and the rules of models. The feature of workers starts their watch. */
  readonly nodes: Nodes
  /** Whether a worker needs room on its disk for a model; without this a warning is enough. */
  readonly checksDiskHeadroom: () => boolean
}

/** The durable data of a server. */
export interface OpenData {
  /** Carries hints between the parts of the server. */
  readonly bus: Bus
  /** Undefined without `--distributed`. */
  readonly cluster: Cluster | undefined
  readonly lock: FileLock
  readonly database: Database
  readonly settings: Settings
}

/** Claims the data folder, then opens the database and the settings. */
export async function openData(options: DataOptions, closers: Closers): Promise<OpenData> {
  const { config, sources, clock, log: logger } = options
  await makeFolder(config.modelsPath, { what: 'models folder (--models-path)' })
  await warnOfModelsFolder(config.modelsPath, logger)
  await makeFolder(config.backendsPath, { what: 'backends folder (--backends-path)' })
  await makeFolder(config.dataPath, { what: 'data folder (--data-path)', mode: 0o700 })
  const lock = await lockDataPath(config.dataPath, { clock })
  closers.push(() => lock.close())
  for (const folder of [config.modelsPath, config.dataPath, config.configDir]) {
    await removeStaleTemporaries(folder, { now: clock.now() })
  }
  const database = await openDatabase({
    url: config.authDatabaseUrl,
    dataPath: config.dataPath,
    appVersion: options.version,
    logger,
    clock,
  })
  closers.push(() => database.close())
  const clusterModule = config.distributed && options.listens ? await import('./open-cluster.ts') : undefined
  const joined = await clusterModule?.openCluster({ config, clock, log: logger }, closers)
  const bus = createBus({ logger, link: joined?.link })
  closers.push(() => bus.close())
  const nodes =
    joined &&
    (await clusterModule?.openWorkers(
      { config, database, bus, messenger: joined.messenger, instanceId: joined.instanceId, clock, logger },
      closers,
    ))
  const files = await openSettingsFiles({ config, database, clock, logger })
  const settings = await createSettings({ config, sources, files, bus, logger })
  closers.push(() => settings.close())
  const checksDiskHeadroom = (): boolean => settings.get('distributed_disk_headroom_check')
  return { bus, cluster: joined && nodes && { ...joined, nodes, checksDiskHeadroom }, lock, database, settings }
}

/** The files of settings: in the folder of this server, and for several servers in their database. */
async function openSettingsFiles({
  config,
  database,
  clock,
  logger,
}: Pick<DataOptions, 'config' | 'clock'> & {
  readonly database: Database
  readonly logger: Logger
}): Promise<SettingsFiles> {
  const files = createSettingsFolder({
    folder: config.configDir,
    pollIntervalMs: config.configDirPollIntervalMs,
    clock,
    logger,
  })
  if (!config.distributed) return files
  const { createSharedSettings } = await import('../cluster/shared-files/shared-settings.ts')
  return createSharedSettings({ database, files, folder: config.configDir, clock, logger })
}

/** A server with a folder that it may only read still serves the models in it. */
async function warnOfModelsFolder(folder: string, logger: Logger): Promise<void> {
  const problem = await findFolderProblem(folder)
  if (problem === undefined) return
  logger.warn({ folder, ...problem }, 'the models folder cannot be written: models cannot be installed or changed')
}
