import type { Connection } from '../connection.ts'
import { toAbortError } from '../errors.ts'
import { encodeMessage, type Method, type PartialMessage } from '../method.ts'
import { callDeadline, callMetadata, type StreamOptions } from './options.ts'
import { receive } from './receive.ts'

/** A call that is open in both directions. Reading it gives the replies, once. */
export interface DuplexCall<Request, Reply> extends AsyncIterable<Reply>, AsyncDisposable {
  /** Sends one message; resolves when there is room for another, or when the call is over. */
  write(message: PartialMessage<Request>): Promise<void>
  /** Says that no more messages follow; replies may still come. */
  end(): void
  /** Breaks the call off. */
  cancel(): void
}

/** Opens a method of many requests and many replies. The call starts at once. */
export function openDuplex<Request, Reply>(
  connection: Connection,
  method: Method<'duplex', Request, Reply>,
  options: StreamOptions,
): DuplexCall<Request, Reply> {
  const { path } = method
  if (options.signal?.aborted) throw toAbortError(options.signal, path)
  const running = connection.channelFor(path).makeBidiStreamRequest(
    path,
    (message: Request) => encodeMessage(method.request, message),
    (bytes: Buffer) => method.reply.decode(bytes),
    callMetadata(connection.token, options),
    callDeadline(options),
  )
  connection.track(running)
  const replies = receive<Reply>(running, { connection, path, options })
  let over = false
  running.on('status', () => {
    over = true
  })
  return {
    async write(message) {
      if (over || running.write(method.request.fromPartial(message))) return
      await new Promise<void>((resolve) => {
        const done = () => {
          running.off('drain', done)
          running.off('status', done)
          resolve()
        }
        running.on('drain', done)
        running.on('status', done)
      })
    },
    end: () => running.end(),
    cancel: () => running.cancel(),
    [Symbol.asyncIterator]: () => replies,
    async [Symbol.asyncDispose]() {
      running.cancel()
    },
  }
}
