import { createHash, type Hash } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, open, unlink } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { SvcError } from '@svc/errors'
import { createKeyedLock } from '../../concurrency/keyed-lock.ts'
import { hashHandle } from '../../downloads/hash-file.ts'
import { toFileError } from '../../files/file-error.ts'
import { createTemporaryPath } from '../../files/temporary-files.ts'
import type { Clock } from '../../ports.ts'
import { readPieces } from './body-pieces.ts'
import { type ContentRange, parseContentRange } from './content-range.ts'
import { type FilePlace, makeParent } from './file-keys.ts'
import { badRequest } from './refusals.ts'
import type { FileReply } from './reply.ts'
import { dropUpload, putInPlace, readState, SIDECARS, writeTarget } from './stored-files.ts'
import { busy, conflict, mismatch, more, outOfStep, stored } from './upload-replies.ts'
import { checkLength, MAX_FILE_BYTES, readHeader, readTarget } from './upload-request.ts'

const MODE = 0o640
/** Time to wait for another upload of the same file, milliseconds. */
const WAIT_MS = 20_000
/** Uploads whose hash goes on with the next piece; for others it begins with the file. */
const MAX_HASHES = 64

/** Takes files. */
export interface Uploads {
  /** @throws {SvcError} `invalid_request`, `too_large`, `insufficient_storage`, `unavailable` while others write the file */
  put(place: FilePlace, incoming: IncomingMessage, beforeBody: () => void): Promise<FileReply>
  /** Works on a file while no upload does. @throws {SvcError} `unavailable` while others write it; what the work throws */
  alone<T>(path: string, work: () => Promise<T>): Promise<T>
  /** Drops what is kept of an upload that broke off. */
  forget(path: string): void
  /** Waits for uploads under way, whose connections are cut. */
  close(): Promise<void>
}

interface RunningHash {
  readonly hash: Hash
  readonly offset: number
}

interface Upload {
  readonly place: FilePlace
  readonly range: ContentRange
  readonly target: string | undefined
  readonly pieces: () => AsyncIterable<Buffer>
}

/** Creates the uploads of a file server. One file is written by one request at a time. */
export function createUploads({ clock }: { readonly clock: Clock }): Uploads {
  const lock = createKeyedLock()
  const hashes = new Map<string, RunningHash>()
  const running = new Set<Promise<unknown>>()
  const ended = new AbortController()
  const inTurn = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
    const waited = new AbortController()
    const signal = AbortSignal.any([waited.signal, ended.signal])
    const timeUp = clock.sleep(WAIT_MS, { signal }).then(
      () => waited.abort(busy()),
      () => undefined,
    )
    try {
      return await lock.run(
        path,
        () => {
          waited.abort()
          return work()
        },
        { signal },
      )
    } finally {
      waited.abort()
      await timeUp
    }
  }
  const track = <T>(work: Promise<T>): Promise<T> => {
    const tracked = work.catch(() => undefined).finally(() => running.delete(tracked))
    running.add(tracked)
    return work
  }
  return {
    alone: (path, work) => track(inTurn(path, work)),
    forget(path) {
      hashes.delete(path)
    },
    async put(place, incoming, beforeBody) {
      const range = parseContentRange(readHeader(incoming, 'content-range'))
      const target = readTarget(incoming)
      checkLength(incoming, range)
      const pieces = () => {
        beforeBody()
        return readPieces(incoming, clock)
      }
      const work = inTurn(place.path, async () => {
        await makeParent(place)
        return range === undefined
          ? await putWhole({ place, target, pieces }, hashes)
          : await putPiece({ place, range, target, pieces }, hashes)
      })
      return track(work)
    },
    async close() {
      ended.abort(new SvcError('unavailable', 'the worker stops', { code: 'stopping' }))
      await Promise.allSettled(running)
    },
  }
}

async function putWhole(
  { place: { path }, target, pieces }: Omit<Upload, 'range'>,
  hashes: Map<string, RunningHash>,
): Promise<FileReply> {
  const temporary = createTemporaryPath(path)
  try {
    const hash = createHash('sha256')
    const file = await openFor(temporary, constants.O_CREAT | constants.O_EXCL)
    try {
      await append(file, pieces(), { position: 0, limit: MAX_FILE_BYTES, onPiece: (piece) => void hash.update(piece) })
      await file.sync()
    } catch (error) {
      throw toWriteError(error, path)
    } finally {
      await file.close()
    }
    const sha256 = hash.digest('hex')
    if (target !== undefined && target !== sha256) throw mismatch(target, sha256)
    hashes.delete(path)
    await putInPlace(path, temporary, sha256)
    return stored(path)
  } finally {
    await unlink(temporary).catch(() => undefined)
  }
}

async function putPiece(upload: Upload, hashes: Map<string, RunningHash>): Promise<FileReply> {
  const { place, range, target } = upload
  const { path } = place
  const found = await readState(path)
  let size = found.state === 'partial' ? found.size : 0
  const before = found.state === 'partial' ? found.target : undefined
  const isSame = target !== undefined && target === before
  if (found.state === 'partial' && !isSame && (range.start === 0 || (target !== undefined && before !== undefined))) {
    hashes.delete(path)
    await dropUpload(path)
    size = 0
    if (range.start > 0) return conflict()
  }
  // The last bytes may have come before a stop or a lost reply.
  const isComplete = isSame && range.start === 0 && size === range.total
  if (!isComplete && range.start !== size) return outOfStep(range, size)
  const next = isComplete ? size : await appendPiece(upload, hashes)
  return next < range.total ? more(next) : finish(upload, hashes)
}

/** @returns the size of what has come */
async function appendPiece({ place: { path }, range, target, pieces }: Upload, hashes: Map<string, RunningHash>) {
  if (range.start === 0) await writeTarget(path, target)
  const file = await openFor(path + SIDECARS.part, constants.O_CREAT)
  const known = hashes.get(path)
  hashes.delete(path)
  const hash = range.start === 0 ? createHash('sha256') : known?.offset === range.start ? known.hash : undefined
  let offset = range.start
  try {
    await append(file, pieces(), {
      position: range.start,
      limit: range.end + 1,
      onPiece(piece) {
        hash?.update(piece)
        offset += piece.length
        if (hash !== undefined) keepHash(hashes, path, { hash, offset })
      },
    })
    await file.datasync()
  } catch (error) {
    const refusal = toWriteError(error, path)
    // A full disk needs the place more than the sender needs to go on.
    if (refusal.kind === 'insufficient_storage') await dropUpload(path)
    throw refusal
  } finally {
    await file.close()
  }
  if (offset !== range.end + 1) throw badRequest(`short body: got ${offset - range.start} bytes`)
  return offset
}

async function finish(
  { place: { path }, range, target }: Upload,
  hashes: Map<string, RunningHash>,
): Promise<FileReply> {
  const part = path + SIDECARS.part
  const known = hashes.get(path)
  hashes.delete(path)
  const sha256 = known?.offset === range.total ? known.hash.digest('hex') : await hashPart(part)
  if (target !== undefined && target !== sha256) {
    await dropUpload(path)
    throw mismatch(target, sha256)
  }
  await putInPlace(path, part, sha256)
  return stored(path)
}

async function hashPart(part: string): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(part, 'r').catch((error: unknown) => {
    throw toFileError(error, 'read', part)
  })
  try {
    // It goes on after the client has left: the next one finds the file whole.
    await hashHandle(file, hash, { signal: new AbortController().signal })
    await file.sync()
  } finally {
    await file.close()
  }
  return hash.digest('hex')
}

async function append(
  file: FileHandle,
  pieces: AsyncIterable<Buffer>,
  { position, limit, onPiece }: { position: number; limit: number; onPiece: (piece: Buffer) => void },
): Promise<void> {
  let at = position
  for await (const piece of pieces) {
    if (at + piece.length > limit) throw badRequest('the body is longer than its range')
    for (let done = 0; done < piece.length; ) {
      const { bytesWritten } = await file.write(piece, done, piece.length - done, at + done)
      done += bytesWritten
    }
    at += piece.length
    onPiece(piece)
  }
}

async function openFor(path: string, flags: number): Promise<FileHandle> {
  return open(path, constants.O_WRONLY | (constants.O_NOFOLLOW ?? 0) | flags, MODE).catch((error: unknown) => {
    throw toFileError(error, 'written', path)
  })
}

function keepHash(hashes: Map<string, RunningHash>, path: string, running: RunningHash): void {
  hashes.delete(path)
  hashes.set(path, running)
  const oldest = hashes.size > MAX_HASHES ? hashes.keys().next().value : undefined
  if (oldest !== undefined) hashes.delete(oldest)
}

const toWriteError = (error: unknown, path: string): SvcError =>
  SvcError.is(error) ? error : toFileError(error, 'written', path)
