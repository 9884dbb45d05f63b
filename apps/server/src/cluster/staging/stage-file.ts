import { type FileHandle, open } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import type { UpstreamReply } from '@svc/http-client'
import type { Clock } from '../../ports.ts'
import {
  callFileServer,
  type FileCall,
  type FileServer,
  readHeader,
  readLocalPath,
  readLocalPathHeader,
  readReplyText,
} from './file-call.ts'

const CHUNK_BYTES = 8 * 1024 * 1024
const CALL_TIMEOUT_MS = 120_000
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 15_000
/** Fresh starts after the worker has found other bytes or another file. */
const MAX_RESTARTS = 3

/** A file to send. */
export interface StagedFile {
  /** Not read when the file is empty. */
  readonly path: string
  readonly sizeBytes: number
  /** Of the whole file, 64 hexadecimal digits. */
  readonly sha256: string
  /** Where it goes, such as `models/<model>#0/sub/file.gguf`. */
  readonly key: string
}

/** Options of {@link stageFile}. */
export interface StageOptions extends FileServer {
  /** Longest time to go on after failures, milliseconds. Progress begins it anew. */
  readonly budgetMs: number
  /** Called with the bytes of the file that the worker has. */
  readonly onProgress: (sentBytes: number) => void
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly signal: AbortSignal
}

/**
 * Sends a file to a worker, unless it has it. What an earlier try has sent is not sent again.
 *
 * @returns the path of the file at the worker
 * @throws {SvcError} `unavailable`, code `staging_failed`; the signal's reason
 */
export async function stageFile(file: StagedFile, options: StageOptions): Promise<string> {
  const { clock, signal, budgetMs } = options
  const state: Progress = { restarts: 0, seen: 0, movedAt: clock.monotonic(), pauseMs: FIRST_PAUSE_MS }
  for (;;) {
    signal.throwIfAborted()
    try {
      const path = await tryOnce(file, options, state)
      if (path !== undefined) return path
    } catch (error) {
      signal.throwIfAborted()
      if (isFinal(error)) throw error
      if (clock.monotonic() - state.movedAt >= budgetMs) throw stagingFailed(file, 'the worker did not take it', error)
      await clock.sleep(state.pauseMs, { signal })
      state.pauseMs = Math.min(2 * state.pauseMs, LONGEST_PAUSE_MS)
    }
  }
}

interface Progress {
  restarts: number
  /** Bytes that the worker had at the last look. */
  seen: number
  movedAt: number
  pauseMs: number
}

/** Sends from where the worker is. @returns undefined to look again at where that is */
async function tryOnce(file: StagedFile, options: StageOptions, state: Progress): Promise<string | undefined> {
  const found = await findStaged(file, options)
  if (found.path !== undefined) {
    options.onProgress(file.sizeBytes)
    return found.path
  }
  // Another front end may send the same file: whoever is out of step goes on from where both are.
  if (found.size > state.seen) state.restarts = 0
  state.seen = found.size
  if (file.sizeBytes === 0) return finishEmpty(file, options, state)
  const handle = await open(file.path, 'r').catch((error: unknown) => {
    throw stagingFailed(file, 'it cannot be read', error)
  })
  try {
    return await sendPieces(file, { handle, start: found.size }, options, state)
  } finally {
    await handle.close()
  }
}

async function finishEmpty(file: StagedFile, options: StageOptions, state: Progress): Promise<string | undefined> {
  const { status, path } = await put(file, { start: 0, body: new Uint8Array() }, options)
  return status === 'done' ? path : restart(file, state)
}

async function sendPieces(
  file: StagedFile,
  from: { readonly handle: FileHandle; readonly start: number },
  options: StageOptions,
  state: Progress,
): Promise<string | undefined> {
  let start = from.start
  const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, Math.max(1, file.sizeBytes - start)))
  for (;;) {
    const length = Math.min(buffer.length, file.sizeBytes - start)
    const { bytesRead } = await from.handle.read(buffer, 0, length, start)
    if (bytesRead === 0) throw stagingFailed(file, 'it has become shorter')
    const { status, next, path } = await put(file, { start, body: buffer.subarray(0, bytesRead) }, options)
    if (status === 'retry') return restart(file, state)
    if (next > start || status === 'done') {
      state.movedAt = options.clock.monotonic()
      state.pauseMs = FIRST_PAUSE_MS
    }
    options.onProgress(next)
    if (status === 'done') return path
    if (next <= start || next >= file.sizeBytes) return restart(file, state)
    start = next
  }
}

function restart(file: StagedFile, state: Progress): undefined {
  state.restarts += 1
  if (state.restarts > MAX_RESTARTS) throw stagingFailed(file, 'the worker got other bytes than were sent')
}

/** Asks for what the worker has of a file. @throws {SvcError} as {@link stageFile}, `upstream_failed`, `timeout` */
export async function findStaged(
  file: StagedFile,
  options: StageOptions,
): Promise<{ readonly path?: string; readonly size: number }> {
  const reply = await send(file, { method: 'HEAD' }, options)
  await readReplyText(reply)
  if (reply.status === 404) return { size: 0 }
  checkStatus(file, reply.status)
  if (reply.status === 400) throw stagingFailed(file, 'the worker refuses its name')
  if (reply.status !== 200) throw new SvcError('upstream_failed', `the worker answered ${reply.status}`)
  const size = Number(readHeader(reply, 'x-file-size') ?? readHeader(reply, 'content-length') ?? 0)
  const path = readLocalPathHeader(reply)
  const isWhole = readHeader(reply, 'x-content-sha256') === file.sha256 && size === file.sizeBytes
  if (isWhole && path !== undefined && path !== '') return { path, size }
  const isOurs =
    readHeader(reply, 'x-target-sha256') === file.sha256 && Number.isSafeInteger(size) && size < file.sizeBytes
  return { size: isOurs ? Math.max(0, size) : 0 }
}

interface PutResult {
  readonly status: 'done' | 'more' | 'retry'
  /** Bytes that the worker has. */
  readonly next: number
  readonly path?: string | undefined
}

async function put(
  file: StagedFile,
  { start, body }: { readonly start: number; readonly body: Uint8Array },
  options: StageOptions,
): Promise<PutResult> {
  const end = start + body.length
  const range: [string, string][] =
    file.sizeBytes === 0 ? [] : [['content-range', `bytes ${start}-${end - 1}/${file.sizeBytes}`]]
  const headers: [string, string][] = [['x-content-sha256', file.sha256], ...range]
  const reply = await send(file, { method: 'PUT', headers, body }, options)
  const text = await readReplyText(reply)
  checkStatus(file, reply.status)
  switch (reply.status) {
    case 200:
    case 201: {
      return { status: 'done', next: file.sizeBytes, path: readPath(file, text) }
    }
    case 308: {
      const last = /^bytes=0-(\d+)$/.exec(readHeader(reply, 'range') ?? '')?.[1]
      return { status: 'more', next: last === undefined ? end : Number(last) + 1 }
    }
    // Other bytes, another target, another size: the worker says where to go on.
    case 400:
    case 409:
    case 416: {
      return { status: 'retry', next: start }
    }
    default: {
      throw new SvcError('upstream_failed', `the worker answered ${reply.status}`)
    }
  }
}

function readPath(file: StagedFile, text: string): string {
  const path = readLocalPath(text)
  if (path === undefined) throw stagingFailed(file, 'the worker did not tell its path')
  return path
}

function send(
  { key }: StagedFile,
  call: Pick<FileCall, 'method' | 'headers' | 'body'>,
  options: StageOptions,
): Promise<UpstreamReply> {
  return callFileServer(options, { ...call, key, timeoutMs: CALL_TIMEOUT_MS }, options.signal)
}

/** Another try would end in the same way. */
function checkStatus(file: StagedFile, status: number): void {
  if (status === 401 || status === 403) throw stagingFailed(file, 'the worker refuses the registration token')
  if (status === 413) throw stagingFailed(file, 'it is larger than the worker takes')
  if (status === 507) throw stagingFailed(file, 'the disk of the worker is full')
}

const isFinal = (error: unknown): boolean => SvcError.is(error) && error.code === 'staging_failed'

function stagingFailed({ key }: StagedFile, reason: string, cause?: unknown): SvcError {
  return new SvcError('unavailable', `the file "${key}" could not be sent to the worker: ${reason}`, {
    code: 'staging_failed',
    cause,
  })
}
