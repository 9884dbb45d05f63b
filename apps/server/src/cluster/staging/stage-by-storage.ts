import { SvcError } from '@svc/errors'
import type { Logger } from '../../ports.ts'
import type { RequestOptions } from '../contract/messenger.ts'
import { ensureReply } from '../contract/node-requests.ts'
import { askUntilReply } from '../loads/ask-worker.ts'
import type { ObjectStorage } from '../object-storage/object-storage.ts'
import { findStaged, type StagedFile, type StageOptions } from './stage-file.ts'

/** Smaller files are sent to the worker at once. */
const LEAST_BYTES = 1024 * 1024
const LOOK_MS = 2000
/** Silence of a worker after which the file is sent to it, milliseconds. */
const SILENCE_MS = 120_000
const LONGEST_MS = 24 * 3_600_000
const UPLOAD_BUDGET_MS = 30_000

/** The way of files through the object storage. */
export interface StorageRoute {
  readonly objects: Pick<ObjectStorage, 'put'>
  /** Sends `files.ensure` to a worker. */
  readonly ask: (nodeId: string, payload: unknown, options: RequestOptions) => Promise<unknown>
  readonly logger: Logger
}

/** Stages a file by the storage. @returns the path at the worker; undefined where the file must be sent to it */
export type StageByStorage = (file: StagedFile, options: StageOptions) => Promise<string | undefined>

/** Where a file of a model is among the objects: equal files are one object. */
export const toModelObject = (sha256: string): string => `svc/models/${sha256}`

/** Creates the way of the files of one load. A worker without the storage is asked for one file only. */
export function createStorageStaging({ objects, ask, logger }: StorageRoute, nodeId: string): StageByStorage {
  let isUsable = true

  function giveUp(reason: unknown): undefined {
    if (isUsable) logger.info({ node: nodeId, reason }, 'files of a model go to a worker without the object storage')
    isUsable = false
  }

  async function put(file: StagedFile, { signal, onProgress }: StageOptions): Promise<void> {
    // The load must not seem to stand still. What the storage has is not yet what the worker has.
    await objects.put(toModelObject(file.sha256), file, {
      signal,
      budgetMs: UPLOAD_BUDGET_MS,
      onProgress: () => onProgress(0),
    })
  }

  async function attempt(file: StagedFile, options: StageOptions): Promise<string | undefined> {
    for (let tries = 0; ; tries += 1) {
      const reply = await askWorker(file, options)
      const { local_path: path, error, code } = ensureReply.parse(reply)
      // A worker of the reference puts the file where the model does not look.
      if (path !== '') return isAtKey(path, file) ? path : giveUp('it keeps the file elsewhere')
      const isMissing = code === 'no_object' || code === 'storage_wrong_hash'
      if (!isMissing || tries > 0) return giveUp(error)
      await put(file, options)
    }
  }

  /** Asks for the file, and tells how much of it the worker has. */
  async function askWorker(file: StagedFile, options: StageOptions): Promise<unknown> {
    const { clock } = options
    const done = new AbortController()
    const signal = AbortSignal.any([options.signal, done.signal])
    let heardAt = clock.monotonic()
    const payload = { key: toModelObject(file.sha256), path: file.key, sha256: file.sha256, size: file.sizeBytes }
    const watching = watch(file, { ...options, signal }, (isMoving) => {
      if (isMoving) heardAt = clock.monotonic()
      else if (clock.monotonic() - heardAt > SILENCE_MS) done.abort(silent())
    })
    try {
      const call = (within: AbortSignal) => ask(nodeId, payload, { signal: within, timeoutMs: LONGEST_MS })
      return await askUntilReply(call, { signal, heardAt: () => heardAt, clock })
    } finally {
      done.abort()
      await watching
    }
  }

  return async (file, options) => {
    if (!isUsable || file.sizeBytes < LEAST_BYTES) return undefined
    try {
      const found = await findStaged(file, options)
      return found.path ?? (await attempt(file, options))
    } catch (error) {
      options.signal.throwIfAborted()
      return giveUp(error instanceof Error ? error.message : String(error))
    }
  }
}

/** Looks at the file at the worker until the signal. */
async function watch(file: StagedFile, options: StageOptions, tell: (isMoving: boolean) => void): Promise<void> {
  const { clock, signal, onProgress } = options
  let seen = 0
  for (;;) {
    try {
      await clock.sleep(LOOK_MS, { signal })
      const { size } = await findStaged(file, options)
      if (size > seen) onProgress(size)
      tell(size > seen)
      seen = Math.max(seen, size)
    } catch {
      if (signal.aborted) return
      tell(false)
    }
  }
}

const isAtKey = (path: string, { key }: StagedFile): boolean =>
  path.replaceAll('\\', '/').endsWith(key.slice(key.indexOf('/')))

const silent = (): SvcError =>
  new SvcError('timeout', 'the worker does not go on with a file', { code: 'staging_failed' })
