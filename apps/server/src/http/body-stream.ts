import type { Readable } from 'node:stream'
import { SvcError } from '@svc/errors'
import type { AbortSignalLike } from '../ports.ts'

/** Options of {@link streamBody}. */
export interface BodyStreamOptions {
  readonly abort: Pick<AbortSignalLike, 'addEventListener' | 'removeEventListener' | 'aborted'> & {
    readonly reason?: unknown
  }
  /** Longest silence of a sender, milliseconds. */
  readonly idleMs: number
}

/** Creates the refusal of a body whose sender has fallen silent. */
export function bodyStopped(): SvcError {
  return new SvcError('invalid_request', 'the request body stopped arriving', { code: 'body_idle' })
}

/** Creates the failure of a body whose client has left. */
export function bodyLeft(reason?: unknown): SvcError {
  return SvcError.is(reason) ? reason : new SvcError('cancelled', 'the client closed the connection')
}

/** Creates the failure of a body that broke off. */
export function bodyBroken(cause: Error): SvcError {
  return new SvcError('cancelled', 'the request body broke off', { cause })
}

/**
 * Gives the pieces of a body as they arrive. The sender is paused while a piece is used, and after an early end of the
 * iteration.
 *
 * @throws {SvcError} `invalid_request` (`body_idle`), `cancelled`, the reason of the abort
 */
export async function* streamBody(body: Readable, { abort, idleMs }: BodyStreamOptions): AsyncGenerator<Uint8Array> {
  const pieces: Uint8Array[] = []
  let isEnded = false
  let failure: SvcError | undefined
  let wake = (): void => undefined
  const fail = (error: SvcError): void => {
    if (!isEnded) failure ??= error
    wake()
  }
  const onData = (piece: Uint8Array): void => {
    pieces.push(piece)
    body.pause()
    wake()
  }
  const onEnd = (): void => {
    isEnded = failure === undefined
    wake()
  }
  const onError = (error: Error): void => fail(bodyBroken(error))
  const onClose = (): void => fail(bodyLeft())
  const onAbort = (): void => fail(bodyLeft(abort.reason))
  const waitForNews = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => fail(bodyStopped()), idleMs)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
      body.resume()
    })

  if (abort.aborted) throw bodyLeft(abort.reason)
  if (body.readableEnded) return
  if (body.destroyed) throw bodyLeft()
  body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  abort.addEventListener('abort', onAbort)
  try {
    for (;;) {
      for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) yield piece
      if (failure !== undefined) throw failure
      if (isEnded) return
      await waitForNews()
    }
  } finally {
    abort.removeEventListener('abort', onAbort)
    body.off('data', onData).off('end', onEnd).off('close', onClose)
    // A listener for errors stays: a body may break after its last reader has left.
    if (!isEnded) body.pause()
  }
}
