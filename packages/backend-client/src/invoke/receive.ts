import type { ServiceError, StatusObject } from '@grpc/grpc-js'
import type { Connection } from '../connection.ts'
import { toAbortError } from '../errors.ts'
import { idleError } from './idle.ts'
import { passTrailers, type StreamOptions, toCallError } from './options.ts'

/** The reading half of a grpc-js call. */
interface ReadableCall {
  read(): unknown
  cancel(): void
  on(event: 'readable' | 'end', listener: () => void): unknown
  on(event: 'error', listener: (error: ServiceError) => void): unknown
  on(event: 'status', listener: (status: StatusObject) => void): unknown
}

/** A stream of replies that is being read. */
interface Receiving {
  readonly connection: Connection
  readonly path: string
  readonly options: StreamOptions
}

/**
 * The replies of a call, pulled one at a time. Replies that nobody has asked for stay in the buffers of the connection and
 * hold the backend back. Listening begins at once. Leaving the loop early cancels the call; an abort also ends a read that
 * waits, in the same tick. Replies that were taken off the connection before a failure come before it; a slow reader loses
 * the ones that still wait in the connection, because grpc-js drops them.
 */
export function receive<Reply>(call: ReadableCall, receiving: Receiving): AsyncGenerator<Reply, void, void> {
  const { connection, path, options } = receiving
  const { signal, idleTimeoutMs } = options
  let aborted: Error | undefined
  let failure: Error | undefined
  let ended = false
  let wake = () => {}

  const stop = (error: Error) => {
    aborted ??= error
    call.cancel()
    wake()
  }
  const abort = () => {
    if (signal) stop(toAbortError(signal, path))
  }
  const release = () => {
    signal?.removeEventListener('abort', abort)
    wake()
  }
  signal?.addEventListener('abort', abort, { once: true })
  call.on('status', (end) => passTrailers(end, options))
  call.on('readable', () => wake())
  call.on('end', () => {
    ended = true
    release()
  })
  call.on('error', (error) => {
    failure = toCallError(error, { path, maxMessageBytes: connection.maxMessageBytes })
    release()
  })
  if (signal?.aborted) abort()

  async function waitForMore(): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    await new Promise<void>((resolve) => {
      wake = resolve
      if (idleTimeoutMs !== undefined) timer = setTimeout(() => stop(idleError(path)), idleTimeoutMs)
    })
    clearTimeout(timer)
  }

  async function* pull(): AsyncGenerator<Reply, void, void> {
    try {
      while (true) {
        if (aborted) throw aborted
        const message = call.read()
        // The call was made with the decoder of this method, so `read` gives a Reply or null.
        if (message !== null) yield message as Reply
        else if (failure) throw failure
        else if (ended) return
        else await waitForMore()
      }
    } finally {
      release()
      call.cancel()
    }
  }
  return pull()
}
