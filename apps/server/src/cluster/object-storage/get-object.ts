import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import type { Header, UpstreamReply } from '@svc/http-client'
import { hashHandle } from '../../downloads/hash-file.ts'
import { toFileError } from '../../files/file-error.ts'
import { writeFully } from '../../files/private-files.ts'
import { type PersistOptions, persist } from './persist.ts'
import { HASH_HEADER } from './put-object.ts'
import type { SendToStorage } from './storage-call.ts'
import { readHeader, storageAway, storageRefused, wrongHash } from './storage-errors.ts'

const MODE = 0o600

/** Where an object goes. */
export interface ObjectTarget {
  /** The file of its bytes. What is in it counts as the beginning, where `sha256` is given. */
  readonly path: string
  /** @default what the object keeps as its hash, if it has one */
  readonly sha256?: string | undefined
  /** Of the whole object, bytes. @default not known */
  readonly sizeBytes?: number | undefined
  /** Largest size that is taken, bytes. */
  readonly maxBytes: number
}

/** What came. */
export interface FetchedObject {
  readonly sizeBytes: number
  readonly sha256: string
}

/** Options of {@link getObject}. */
export interface GetOptions extends PersistOptions {
  readonly send: SendToStorage
  /** Called with the bytes that are there. */
  readonly onProgress: (bytes: number) => void
}

interface State {
  readonly file: FileHandle
  size: number
  /** Most bytes that were there at any time: what comes again is no progress. */
  reached: number
  hash: Hash
  /** Tag of the object whose bytes these are; undefined before the first reply. */
  tag: string | undefined
}

/**
 * Fetches an object into a file, and goes on where it broke off. A file with other bytes is emptied.
 *
 * @returns undefined where there is no such object
 * @throws as `ObjectStorage.get`
 */
export async function getObject(
  key: string,
  target: ObjectTarget,
  options: GetOptions,
): Promise<FetchedObject | undefined> {
  const state = await openTarget(target, options.signal)
  try {
    const isComplete = target.sha256 !== undefined && state.size > 0 && state.size === target.sizeBytes
    const found = isComplete
      ? { sha256: undefined }
      : await persist((moved) => fetchRest(key, target, { ...options, state, moved }), options)
    if (found === undefined) return undefined
    const sha256 = state.hash.digest('hex')
    const wanted = target.sha256 ?? found.sha256
    if (wanted !== undefined && wanted !== sha256) {
      await state.file.truncate(0)
      throw wrongHash(key)
    }
    await state.file.sync()
    return { sizeBytes: state.size, sha256 }
  } catch (error) {
    throw error instanceof Error && !SvcError.is(error) && 'syscall' in error
      ? toFileError(error, 'written', target.path)
      : error
  } finally {
    await state.file.close()
  }
}

async function openTarget({ path, sha256 }: ObjectTarget, signal: AbortSignal): Promise<State> {
  const flags = constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
  const file = await open(path, flags, MODE).catch((error: unknown) => {
    throw toFileError(error, 'written', path)
  })
  try {
    const hash = createHash('sha256')
    if (sha256 === undefined) await file.truncate(0)
    const size = await hashHandle(file, hash, { signal })
    return { file, size, reached: size, hash, tag: undefined }
  } catch (error) {
    await file.close()
    throw error
  }
}

type Rest = GetOptions & { readonly state: State; readonly moved: () => void }

/** One try. @returns what the object keeps as its hash; undefined where there is no object */
async function fetchRest(
  key: string,
  target: ObjectTarget,
  { send, state, moved, onProgress, signal }: Rest,
): Promise<{ readonly sha256: string | undefined } | undefined> {
  const range: Header[] = state.size > 0 ? [['range', `bytes=${state.size}-`]] : []
  const same: Header[] = state.tag === undefined || state.size === 0 ? [] : [['if-match', state.tag]]
  const outcome = await send({ method: 'GET', key, headers: [...range, ...same] }, signal)
  if (!outcome.isSuccess) {
    if (outcome.code === 'NoSuchKey') return undefined
    if (outcome.status === 412 || outcome.status === 416) {
      // The object changed, or these are all its bytes and perhaps more.
      const before = state.size
      await restart(state)
      throw storageAway(`it has other bytes than the first ${before}`)
    }
    throw outcome.error
  }
  const { reply } = outcome
  const total = readTotal(reply)
  const isOther = reply.status === 206 && readStart(reply) !== state.size
  if (isOther || (total ?? 0) > target.maxBytes) {
    // A body that nobody reads would hold its connection.
    await reply.body[Symbol.asyncIterator]().return?.()
    throw isOther ? storageRefused('it sent another range than was asked for') : tooLarge(target.maxBytes)
  }
  if (reply.status !== 206) await restart(state)
  state.tag = readHeader(reply, 'etag')
  for await (const piece of reply.body) {
    if (state.size + piece.length > target.maxBytes) throw tooLarge(target.maxBytes)
    await writeFully(state.file, piece, state.size)
    state.hash.update(piece)
    state.size += piece.length
    if (state.size > state.reached) moved()
    state.reached = Math.max(state.reached, state.size)
    onProgress(state.size)
  }
  if (total === undefined || state.size < total) throw storageAway('its reply ended before it was complete')
  return { sha256: readHash(reply) }
}

async function restart(state: State): Promise<void> {
  if (state.size > 0) await state.file.truncate(0)
  state.size = 0
  state.hash = createHash('sha256')
  state.tag = undefined
}

const tooLarge = (maxBytes: number): SvcError => storageRefused(`the object has more than ${maxBytes} bytes`)

function readStart(reply: UpstreamReply): number | undefined {
  const start = /^bytes (\d+)-/.exec(readHeader(reply, 'content-range') ?? '')?.[1]
  return start === undefined ? undefined : Number(start)
}

/** Bytes of the whole object. */
function readTotal(reply: UpstreamReply): number | undefined {
  if (reply.status !== 206) return reply.lengthBytes
  const total = /\/(\d+)$/.exec(readHeader(reply, 'content-range') ?? '')?.[1]
  return total === undefined ? undefined : Number(total)
}

/** The hash that an object keeps; undefined where it keeps none of the right form. */
export function readHash(reply: Pick<UpstreamReply, 'headers'>): string | undefined {
  const hash = readHeader(reply, HASH_HEADER)
  return hash !== undefined && /^[0-9a-f]{64}$/.test(hash) ? hash : undefined
}
