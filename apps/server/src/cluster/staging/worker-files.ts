import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import type { UpstreamReply, UpstreamRequest } from '@svc/http-client'
import { toFileError } from '../../files/file-error.ts'
import type { Clock } from '../../ports.ts'
import { callFileServer, type FileServer, readLocalPath, readLocalPathHeader, readReplyText } from './file-call.ts'

const CALL_MS = 30_000
const FETCH_MS = 15 * 60_000
const MAX_FETCHED_BYTES = 16 * 1024 ** 3
const TRIES = 3
const PAUSE_MS = 500

/** Options of {@link createWorkerFiles}. */
export interface WorkerFilesOptions extends FileServer {
  readonly clock: Clock
}

/** Files of requests at a worker. */
export interface WorkerFiles {
  /** Makes an empty file. @returns its path at the worker @throws {SvcError} `unavailable`, code `staging_failed` */
  allocate(signal: AbortSignal): Promise<string>
  /** The path of a file at the worker; undefined where it has none. */
  find(key: string, signal: AbortSignal): Promise<string | undefined>
  /**
   * Writes the content of a file at the worker into a file here.
   *
   * @returns false when the worker has no such file
   * @throws {SvcError} `unavailable`, code `staging_failed`; `insufficient_storage`, `internal`; the signal's reason
   */
  fetch(key: string, path: string, signal: AbortSignal): Promise<boolean>
  /** Removes a file, as far as the worker can. */
  remove(key: string): Promise<void>
}

/** Creates the calls to a worker. */
export function createWorkerFiles({ clock, ...server }: WorkerFilesOptions): WorkerFiles {
  let canRemove = true
  const send = (method: UpstreamRequest['method'], key: string, signal: AbortSignal, timeoutMs = CALL_MS) =>
    callFileServer(server, { method, key, timeoutMs }, signal)

  /** Tries again after a lost connection and a busy worker. */
  async function tryAgain<T>(what: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await work()
      } catch (error) {
        signal.throwIfAborted()
        const isLost = SvcError.is(error) && ['upstream_failed', 'timeout'].includes(error.kind)
        if (SvcError.is(error) && !isLost) throw error
        if (tries === TRIES) throw failed(what, error)
        await clock.sleep(tries * PAUSE_MS, { signal })
      }
    }
  }

  return {
    allocate: (signal) =>
      tryAgain(
        'a file for the result could not be made at the worker',
        async () => {
          const reply = await send('POST', 'temp', signal)
          const text = await readReplyText(reply)
          checkStatus(reply)
          const path = readLocalPath(text)
          if (path === undefined) throw failed('the worker did not tell the path of a file')
          return path
        },
        signal,
      ),
    async find(key, signal) {
      const reply = await send('HEAD', key, signal)
      await readReplyText(reply)
      return reply.status === 200 ? readLocalPathHeader(reply) : undefined
    },
    fetch: (key, path, signal) =>
      tryAgain(
        'the result could not be fetched from the worker',
        async () => {
          const reply = await send('GET', key, signal, FETCH_MS)
          if (reply.status === 404) {
            await readReplyText(reply)
            return false
          }
          checkStatus(reply)
          await writeInto(path, reply)
          return true
        },
        signal,
      ),
    async remove(key) {
      if (!canRemove) return
      try {
        const reply = await send('DELETE', key, AbortSignal.timeout(CALL_MS))
        await readReplyText(reply)
        if (reply.status === 405) canRemove = false
      } catch {
        // The worker removes old files by itself.
      }
    },
  }
}

async function writeInto(path: string, { body, lengthBytes = 0 }: UpstreamReply): Promise<void> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | (constants.O_NOFOLLOW ?? 0)
  const file = await open(path, flags, 0o600).catch((error: unknown) => {
    throw toFileError(error, 'written', path)
  })
  try {
    let written = 0
    for await (const piece of body) {
      written += piece.length
      if (Math.max(written, lengthBytes) > MAX_FETCHED_BYTES) throw failed('the result is too large')
      await file.appendFile(piece).catch((error: unknown) => {
        throw toFileError(error, 'written', path)
      })
    }
  } finally {
    await file.close()
  }
}

function checkStatus({ status }: UpstreamReply): void {
  if (status === 200) return
  if (status === 401 || status === 403) throw failed('the worker refuses the registration token')
  if (status === 507) throw failed('the disk of the worker is full')
  throw new SvcError('upstream_failed', `the worker answered ${status}`)
}

const failed = (message: string, cause?: unknown): SvcError =>
  new SvcError('unavailable', message, { code: 'staging_failed', cause })
