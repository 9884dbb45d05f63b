import type { IncomingMessage } from 'node:http'
import { SvcError } from '@svc/errors'
import { toBodyStream } from '../../http/messages.ts'
import type { Clock } from '../../ports.ts'

/** Time in which at least {@link LEAST_BYTES} of a body come, milliseconds. */
const STALL_MS = 60_000
const LEAST_BYTES = 1024

/**
 * The pieces of a request body. A client that sends nearly nothing for a minute is cut off.
 *
 * @throws {SvcError} `cancelled` when the body ends early
 */
export async function* readPieces(incoming: IncomingMessage, clock: Clock): AsyncGenerator<Buffer> {
  const ended = new AbortController()
  let bytes = 0
  const watch = async (): Promise<void> => {
    for (;;) {
      const before = bytes
      await clock.sleep(STALL_MS, { signal: ended.signal })
      if (bytes - before < LEAST_BYTES) incoming.socket.destroy()
    }
  }
  const watching = watch().catch(() => undefined)
  try {
    // A refusal in the middle of a body goes out on the same connection.
    for await (const piece of toBodyStream(incoming).iterator({ destroyOnReturn: false })) {
      bytes += (piece as Buffer).length
      yield piece as Buffer
    }
    if (!incoming.complete) throw new SvcError('cancelled', 'the body ended early', { code: 'body_cut' })
  } catch (error) {
    throw SvcError.is(error)
      ? error
      : new SvcError('cancelled', 'the body ended early', { code: 'body_cut', cause: error })
  } finally {
    ended.abort()
    await watching
  }
}
