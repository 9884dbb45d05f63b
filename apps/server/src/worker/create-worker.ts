import { tmpdir } from 'node:os'
import { join as joinPath } from 'node:path'
import { SvcError } from '@svc/errors'
import type { BuiltInBackend } from '../backends/catalog.ts'
import type { Environment } from '../backends/child-environment.ts'
import { createProcessRecord, reapOrphans } from '../backends/process-record.ts'
import { createSupervisor, type Supervisor } from '../backends/supervisor.ts'
import { createNatsMessenger } from '../cluster/nats/create-nats-messenger.ts'
import type { ObjectStorage } from '../cluster/object-storage/object-storage.ts'
import { readAddress } from '../config/places.ts'
import type { ServerConfig } from '../config/schema.ts'
import { type FileLock, lockDataPath } from '../files/file-lock.ts'
import { makeFolder } from '../files/make-folder.ts'
import { removeStaleTemporaries } from '../files/temporary-files.ts'
import { writeFileAtomic } from '../files/write-file-atomic.ts'
import { type Closers, createClosers } from '../platform/closers.ts'
import type { Clock, Logger } from '../ports.ts'
import { openFileServer, type WorkerFileServer } from './files/file-server.ts'
import type { StorageFiles } from './files/storage-files.ts'
import { createFrontEnd } from './front-end.ts'
import { leaveCluster } from './leave.ts'
import { openOutbound, openWorkerBackends, openWorkerStorage } from './open-backends.ts'
import { runPrefetch } from './open-prefetch.ts'
import { createPortRange } from './port-range.ts'
import { createWorkerProcesses, type WorkerProcesses } from './processes.ts'
import { serveRequests } from './requests/serve-requests.ts'
import { createWorkerResources, toRegistration } from './resources.ts'
import { openSession, type WorkerSession } from './session.ts'
import { readWorkerConfig, toHttpAddress, type WorkerConfig } from './worker-config.ts'
import { createWorkerLogs } from './worker-logs.ts'

/** Time that processes get to end, milliseconds. */
const STOP_MS = 5000

/** Options of {@link createWorker}. */
export interface WorkerOptions {
  readonly config: ServerConfig
  /** Name of the machine. */
  readonly hostName: string
  readonly version: string
  /** The environment of this process; backends get its allowed part. */
  readonly environment: Environment
  /** Shipped backends by name. */
  readonly builtInBackends: Readonly<Record<string, BuiltInBackend>>
  /** Ends the worker as a signal would, when a front end asks for it. */
  readonly stopWorker: () => void
  readonly clock: Clock
  readonly logger: Logger
}

/** A worker of several machines. */
export interface Worker {
  /**
   * Opens the folders, registers and joins the bus. Resolves once the worker takes requests.
   *
   * @throws {StartRefused} where it must not start; the reason of {@link Worker.close}
   */
  start(): Promise<void>
  /** Takes the worker out of its cluster and ends its processes. */
  close(): Promise<void>
  /** Sends KILL to every backend, for an exit that waits for nothing. */
  killBackends(): void
}

/** Creates a worker; {@link Worker.start} does its work. */
export function createWorker(options: WorkerOptions): Worker {
  const closers = createClosers()
  const entering = new AbortController()
  let supervisor: Supervisor | undefined
  let session: WorkerSession | undefined
  let leave: (() => Promise<void>) | undefined
  let starting: Promise<void> = Promise.resolve()

  async function open(): Promise<void> {
    const { clock, logger } = options
    const config = readWorkerConfig(options.config, options)
    const lock = await openFolders(options, closers)
    const own = await openSupervisor(options, { config, lock })
    supervisor = own
    closers.push(() => own.close({ graceMs: STOP_MS }))
    const outbound = await openOutbound(options)
    const isReady = (): boolean => session?.isReady() === true
    const storage = await openWorkerStorage(options)
    if (storage !== undefined) closers.push(() => storage.close())
    const files = await openFiles(options, { config, supervisor: own, isReady, objects: storage?.objects })
    closers.push(() => files.close())
    const frontEnd = createFrontEnd({ url: config.registerTo, token: config.token, client: outbound })
    const processes = openProcesses(config, own, clock)
    await runPrefetch({ config: options.config, client: outbound, clock, logger }, entering.signal)
    const joined = await joinCluster(options, {
      config: { ...config, httpAddress: toHttpAddress(config, files.port) },
      closers,
      frontEnd,
      outbound,
      processes,
      storageFiles: files.storageFiles,
      signal: entering.signal,
    })
    session = joined
    leave = () =>
      leaveCluster({
        nodeId: joined.nodeId,
        frontEnd,
        stopProcesses: () => own.close({ graceMs: STOP_MS }),
        endSession: () => joined.close(),
        clock,
        logger,
      })
  }
  return {
    start() {
      starting = open()
      return starting
    },
    async close() {
      if (leave === undefined) entering.abort(new SvcError('cancelled', 'the worker is stopped'))
      await starting.catch(() => undefined)
      await leave?.()
      await closers.closeAll()
    },
    killBackends: () => supervisor?.killNow(),
  }
}

/** Claims the data folder and makes the others. */
async function openFolders({ config, clock }: WorkerOptions, closers: Closers): Promise<FileLock> {
  await makeFolder(config.modelsPath, { what: 'models folder (--models-path)' })
  await makeFolder(config.backendsPath, { what: 'backends folder (--backends-path)' })
  await makeFolder(config.dataPath, { what: 'data folder (--data-path)', mode: 0o700 })
  const lock = await lockDataPath(config.dataPath, { clock })
  closers.push(() => lock.close())
  await removeStaleTemporaries(config.dataPath, { now: clock.now() })
  return lock
}

/** Ends what a killed worker has left, then makes the supervisor of processes. */
async function openSupervisor(
  { config: { dataPath, modelsPath }, environment, clock, logger }: WorkerOptions,
  { lock }: { readonly config: WorkerConfig; readonly lock: FileLock },
): Promise<Supervisor> {
  const file = joinPath(dataPath, 'backends.json')
  await reapOrphans({ file, clock, logger })
  const record = createProcessRecord({
    file,
    async writeFile(path, content) {
      const reason = lock.lossReason()
      if (reason !== undefined) throw new SvcError('unavailable', reason, { code: 'data_path_lost' })
      await writeFileAtomic(path, content, { mode: 0o600 })
    },
    logger,
  })
  return createSupervisor({ environment, modelsPath, socketParent: tmpdir(), record, clock, logger })
}

/** Files of models from outside the models folder of a front end. */
const toDataFolder = (dataPath: string): string => joinPath(dataPath, 'files')

/** Opens the file server. Front ends may not write the files of the worker itself. */
function openFiles(
  { config: { modelsPath, dataPath, backendsPath, distributedSharedModels: isShared }, clock, logger }: WorkerOptions,
  {
    config,
    supervisor,
    isReady,
    objects,
  }: {
    readonly config: WorkerConfig
    readonly supervisor: Supervisor
    readonly isReady: () => boolean
    readonly objects: ObjectStorage | undefined
  },
): Promise<WorkerFileServer> {
  return openFileServer({
    ...config.http,
    token: config.token,
    folders: { models: modelsPath, data: toDataFolder(dataPath), staging: joinPath(dataPath, 'staging') },
    kept: [dataPath, backendsPath],
    isShared,
    objects,
    logs: createWorkerLogs(supervisor.logs),
    isReady,
    clock,
    logger,
  })
}

function openProcesses(config: WorkerConfig, supervisor: Supervisor, clock: Clock): WorkerProcesses {
  const { host, firstPort, lastPort } = config.serve
  const told = readAddress(config.address)
  return createWorkerProcesses({
    supervisor,
    ports: createPortRange(firstPort, lastPort, () => clock.monotonic()),
    host,
    firstPort,
    advertised: { host: told?.host ?? host, firstPort: told?.port ?? firstPort },
    token: config.token,
  })
}

/** Opens the backends and the session. */
async function joinCluster(
  options: WorkerOptions,
  parts: {
    readonly config: WorkerConfig
    readonly closers: Closers
    readonly frontEnd: ReturnType<typeof createFrontEnd>
    readonly outbound: Awaited<ReturnType<typeof openOutbound>>
    readonly processes: WorkerProcesses
    readonly storageFiles: StorageFiles | undefined
    readonly signal: AbortSignal
  },
): Promise<WorkerSession> {
  const { clock, logger, builtInBackends: builtIn, config: server } = options
  const { config, closers, frontEnd, outbound, processes, storageFiles, signal } = parts
  const opened = await openWorkerBackends({ config: server, builtIn, client: outbound, clock, logger })
  closers.push(() => opened.close())
  const resources = createWorkerResources({
    modelsPath: server.modelsPath,
    capability: server.forceMetaBackendCapability,
    clock,
  })
  return openSession({
    frontEnd,
    toBody: () => toRegistration(config, resources),
    toHeartbeat: () => resources.readChanging(),
    heartbeatMs: config.heartbeatMs,
    needsCredentials: config.bus.needsCredentials,
    connect: ({ credentials = config.bus.credentials, inboxPrefix }) =>
      createNatsMessenger({
        url: config.bus.url,
        tls: config.bus.tls,
        credentials,
        name: `svc worker ${config.name}`,
        inboxPrefix,
        clock,
        logger,
      }),
    serve: (messenger, nodeId) =>
      serveRequests(messenger, {
        backends: opened.backends,
        oldCopies: opened.oldCopies,
        processes,
        stagedFolders: [server.modelsPath, toDataFolder(server.dataPath)],
        storageFiles,
        nodeId,
        stopWorker: options.stopWorker,
        clock,
        logger,
      }),
    clock,
    logger,
    signal,
  })
}
