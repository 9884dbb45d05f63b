import { createHash, randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, mkdir, open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import { identifyWeights, type WeightsIdentity } from '../catalog/weights-identity.ts'
import { hashHandle } from '../downloads/hash-file.ts'
import { readSystemCode, toFileError } from '../files/file-error.ts'
import { openInside } from '../files/safe-path.ts'
import { syncFolder, writeFileAtomic } from '../files/write-file-atomic.ts'
import type { Clock, Logger } from '../ports.ts'
import { findModelFile } from '../residency/to-load-request.ts'
import { readRecord } from './read-record.ts'
import { slotMismatch, slotNotFound, slotTooLarge } from './slot-errors.ts'
import { findStateFolder, makeStateFolder, openStateFolder } from './slot-folder.ts'
import { fitsWeights, formatSlotRecord, RECORD_FILE, type SlotRecord, toStateFile } from './slot-record.ts'
import { createStateSweep } from './sweep-states.ts'

/** A state that is saved. */
export interface SavedState {
  readonly id: string
  /** Size of its file. */
  readonly bytes: number
}

/** Options of a call on the store. */
interface CallOptions {
  readonly signal: AbortSignal
}

/** Options of a save. */
interface SaveOptions extends CallOptions {
  /** The weights that the model was loaded from. The file may have changed since. @default unknown */
  readonly weights?: WeightsIdentity | undefined
}

/** Keeps the states of slots in the folders that model files name for them. */
export interface SlotStore {
  /** Refuses a model whose slots cannot be saved. @throws {SvcError} `invalid_request` */
  check(model: ModelConfig): void
  /**
   * Saves a state: `write` writes a file that does not exist yet. Nothing of it is left when this throws.
   *
   * @param write gives the number of tokens of the state
   * @throws {SvcError} `invalid_request`, `insufficient_storage`, `internal`; errors of `write` as they are
   */
  save(
    model: ModelConfig,
    write: (file: string, options: { readonly maxBytes: number }) => Promise<number>,
    options: SaveOptions,
  ): Promise<SavedState>
  /**
   * Finds a saved state by its record. Its content is not read.
   *
   * @throws {SvcError} `not_found` (`slot_state_not_found`), `precondition_failed` (`slot_state_mismatch`),
   *   `invalid_request`
   */
  find(model: ModelConfig, id: string): Promise<FoundState>
  /**
   * Restores a state: `read` reads its file, once its content is what was saved.
   *
   * @throws {SvcError} as {@link find}; errors of `read` as they are
   */
  restore<Result>(
    model: ModelConfig,
    id: string,
    read: (file: string, record: SlotRecord) => Promise<Result>,
    options: CallOptions,
  ): Promise<Result>
}

/** A saved state and its folder. */
export interface FoundState {
  readonly folder: string
  readonly record: SlotRecord
}

/** Largest state, 8 GiB (§8). */
export const MAX_STATE_BYTES = 8_589_934_592
/** States of one model that are kept; the oldest ones beyond it are removed. */
const MAX_STATES = 16

/** Parts of {@link createSlotStore}. */
export interface SlotStoreParts {
  /** The id of this server: it tells its own unfinished states from those of others. */
  readonly serverId: string
  /** Whether a path of the models folder takes the place of a file of this server. */
  readonly reserves: (path: string) => boolean
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Logger
  /** @default {@link MAX_STATE_BYTES} */
  readonly maxBytes?: number | undefined
  /** @default {@link MAX_STATES} */
  readonly maxStates?: number | undefined
}

/**
 * Creates the store. Each state has a folder of its own, named by its id: the file of the state and its record. A save
 * fills a hidden folder and renames it, so that a reader sees a whole state or none.
 */
export function createSlotStore(parts: SlotStoreParts): SlotStore {
  const { reserves, maxBytes = MAX_STATE_BYTES } = parts
  const sweep = createStateSweep({ ...parts, maxStates: parts.maxStates ?? MAX_STATES })

  async function find(model: ModelConfig, id: string): Promise<FoundState> {
    const folder = await openStateFolder(model, reserves)
    if (folder === undefined) throw slotNotFound()
    const record = await findRecord(folder, id)
    if (record.model !== model.name) throw slotNotFound()
    if (record.id !== id || record.file !== toStateFile(id)) throw slotMismatch('the record is not its own')
    const weights = await identifyWeights(findModelFile(model), model.parameters.model ?? '')
    if (!fitsWeights(record, weights)) throw slotMismatch('the weights of the model have changed')
    return { folder, record }
  }

  return {
    check(model) {
      findStateFolder(model, reserves)
    },
    find,
    async save(model, write, { weights, signal }) {
      const folder = await makeStateFolder(model, reserves)
      await sweep.unfinished(folder)
      const draft = sweep.draftPath(folder)
      const release = sweep.hold(draft)
      try {
        await mkdir(draft, 0o700).catch((error: unknown) => {
          throw toFileError(error, 'made', draft)
        })
        const id = randomBytes(16).toString('hex')
        const file = toStateFile(id)
        const tokens = await write(join(draft, file), { maxBytes })
        const facts = await readWritten(join(draft, file), { maxBytes, signal })
        const record = { id, model: model.name, file, ...facts, tokens, weights }
        await writeFileAtomic(join(draft, RECORD_FILE), formatSlotRecord(record), { mode: 0o600 })
        signal.throwIfAborted()
        await publish(draft, folder, id)
        await sweep.surplus(folder, id)
        return { id, bytes: facts.size }
      } finally {
        // An engine may still write into the folder: it then finds nothing to rename.
        await rm(draft, { recursive: true, force: true, maxRetries: 3 }).catch((error: unknown) => {
          parts.logger.warn({ err: error, folder: draft }, 'an unfinished state of a slot cannot be removed')
        })
        release()
      }
    },
    async restore(model, id, read, { signal }) {
      const { folder, record } = await find(model, id)
      const place = join(folder, id)
      const release = sweep.hold(place)
      try {
        await checkContent(folder, record, signal)
        return await read(join(place, record.file), record)
      } finally {
        release()
      }
    },
  }
}

async function findRecord(folder: string, id: string): Promise<SlotRecord> {
  const record = await readRecord(folder, id).catch(async (error: unknown) => {
    if (!SvcError.is(error)) throw error
    if (error.kind !== 'not_found') throw slotMismatch('its record cannot be used', error)
    // A state without a record is not a saved one, unless its folder is there.
    throw (await isFolder(join(folder, id))) ? slotMismatch('its record is gone', error) : slotNotFound()
  })
  if (record === undefined) throw slotMismatch('its record cannot be read')
  return record
}

function isFolder(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/** Reads the facts of a state that an engine has written, and makes it durable. */
async function readWritten(
  path: string,
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal: AbortSignal },
): Promise<Pick<SlotRecord, 'size' | 'sha256' | 'mtime'>> {
  const handle = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)).catch(
    (error: unknown) => {
      const reason =
        readSystemCode(error) === 'ENOENT' ? 'the backend has written no state' : 'the state cannot be read'
      throw new SvcError('internal', reason, { code: 'slot_state_unwritten', cause: error })
    },
  )
  try {
    const { size, mtime, isFile } = await readStats(handle)
    if (size > maxBytes) throw slotTooLarge(maxBytes)
    if (size === 0 || !isFile) {
      throw new SvcError('internal', 'the backend has written no state', { code: 'slot_state_unwritten' })
    }
    await handle.sync()
    return { size, sha256: await hashState(handle, size, signal), mtime: mtime.toISOString() }
  } finally {
    await handle.close()
  }
}

async function readStats(handle: FileHandle): Promise<{ size: number; mtime: Date; isFile: boolean }> {
  const found = await handle.stat()
  return { size: found.size, mtime: found.mtime, isFile: found.isFile() }
}

/** Compares the content of a state with its record. */
async function checkContent(folder: string, record: SlotRecord, signal: AbortSignal): Promise<void> {
  const handle = await openInside(folder, `${record.id}/${record.file}`, { what: 'state' }).catch((error: unknown) => {
    throw slotMismatch('its file is gone', error)
  })
  try {
    const { size } = await handle.stat()
    if (size !== record.size) throw slotMismatch('its file has another size')
    if ((await hashState(handle, size, signal)) !== record.sha256) throw slotMismatch('its file has other content')
  } finally {
    await handle.close()
  }
}

async function hashState(handle: FileHandle, size: number, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await hashHandle(handle, hash, { signal, limit: size })
  return hash.digest('hex')
}

async function publish(draft: string, folder: string, id: string): Promise<void> {
  try {
    await rename(draft, join(folder, id))
    await syncFolder(folder)
  } catch (error) {
    // Nobody would know its id.
    await rm(join(folder, id), { recursive: true, force: true }).catch(() => undefined)
    throw toFileError(error, 'saved', join(folder, id))
  }
}
