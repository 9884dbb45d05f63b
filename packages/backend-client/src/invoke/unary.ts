import type { Connection } from '../connection.ts'
import { toAbortError } from '../errors.ts'
import { encodeMessage, type Method, type PartialMessage } from '../method.ts'
import { type CallOptions, callDeadline, callMetadata, passTrailers, toCallError } from './options.ts'

/** Calls a method of one request and one reply. Settles at once when the signal is aborted. */
export function callUnary<Request, Reply>(
  connection: Connection,
  method: Method<'unary', Request, Reply>,
  call: { readonly request: PartialMessage<Request>; readonly options: CallOptions },
): Promise<Reply> {
  const { path } = method
  const { options } = call
  const { signal } = options
  return new Promise<Reply>((resolve, reject) => {
    if (signal?.aborted) return reject(toAbortError(signal, path))
    const running = connection.channelFor(path).makeUnaryRequest(
      path,
      (message: Request) => encodeMessage(method.request, message),
      (bytes: Buffer) => method.reply.decode(bytes),
      method.request.fromPartial(call.request),
      callMetadata(connection.token, options),
      callDeadline(options),
      (error, reply) => {
        signal?.removeEventListener('abort', abort)
        if (error) reject(toCallError(error, { path, maxMessageBytes: connection.maxMessageBytes }))
        else if (reply !== undefined) resolve(reply)
      },
    )
    // The status follows the reply in the same turn, before the promise settles for its reader.
    running.on('status', (end) => passTrailers(end, options))
    connection.track(running)
    function abort() {
      running.cancel()
      if (signal) reject(toAbortError(signal, path))
    }
    signal?.addEventListener('abort', abort, { once: true })
  })
}
