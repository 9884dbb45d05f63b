import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import type { Upstream, UpstreamReply, UpstreamRequest } from '@svc/http-client'
import { toFileError } from '../../files/file-error.ts'
import type { Clock } from '../../ports.ts'

const CALL_MS = 30_000
const FETCH_MS = 15 * 60_000
const MAX_FETCHED_BYTES = 16 * 1024 ** 3
const MAX_REPLY_BYTES = 64 * 1024
const TRIES = 3
const PAUSE_MS = 500

/** Options of {@link createWorkerFiles}. */
export interface WorkerFilesOptions {
  /** `host:port` of the worker's file server. */
  readonly address: string
  readonly token: string
  readonly client: Pick<Upstream, 'send'>
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
export function createWorkerFiles({ address, token, client, clock }: WorkerFilesOptions): WorkerFiles {
  let canRemove = true
  const send = (method: UpstreamRequest['method'], key: string, signal: AbortSignal, timeoutMs = CALL_MS) => {
    const url = new URL(`http://${address}/v1/files/${key.split('/').map(encodeURIComponent).join('/')}`)
    return client.send({ method, url, headers: [['authorization', `Bearer ${token}`]], timeoutMs }, { signal })
  }

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
          const text = await readText(reply)
          checkStatus(reply)
          const path = readPath(text)
          if (path === undefined) throw failed('the worker did not tell the path of a file')
          return path
        },
        signal,
      ),
    async find(key, signal) {
      const reply = await send('HEAD', key, signal)
      await readText(reply)
      const path = reply.headers.find(([name]) => name === 'x-local-path')?.[1]
      return reply.status === 200 && path !== undefined ? Buffer.from(path, 'latin1').toString('utf8') : undefined
    },
    fetch: (key, path, signal) =>
      tryAgain(
        'the result could not be fetched from the worker',
        async () => {
          const reply = await send('GET', key, signal, FETCH_MS)
          if (reply.status === 404) {
            await readText(reply)
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
        await readText(reply)
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

function readPath(text: string): string | undefined {
  try {
    const reply: unknown = JSON.parse(text)
    return typeof reply === 'object' && reply !== null && 'local_path' in reply && typeof reply.local_path === 'string'
      ? reply.local_path
      : undefined
  } catch {
    return undefined
  }
}

async function readText({ body }: UpstreamReply): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > MAX_REPLY_BYTES) throw new SvcError('upstream_failed', 'the reply of the worker is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const failed = (message: string, cause?: unknown): SvcError =>
  new SvcError('unavailable', message, { code: 'staging_failed', cause })
