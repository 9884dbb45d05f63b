import type { Connection } from '../connection.ts'
import { toAbortError } from '../errors.ts'
import { encodeMessage, type Method, type PartialMessage } from '../method.ts'
import { callDeadline, callMetadata, type StreamOptions } from './options.ts'
import { receive } from './receive.ts'

/** Calls a method of one request and many replies. The call starts with the first read. */
export async function* callServerStream<Request, Reply>(
  connection: Connection,
  method: Method<'server-stream', Request, Reply>,
  call: { readonly request: PartialMessage<Request>; readonly options: StreamOptions },
): AsyncGenerator<Reply, void, void> {
  const { path } = method
  const { options } = call
  if (options.signal?.aborted) throw toAbortError(options.signal, path)
  const running = connection.channelFor(path).makeServerStreamRequest(
    path,
    (message: Request) => encodeMessage(method.request, message),
    (bytes: Buffer) => method.reply.decode(bytes),
    method.request.fromPartial(call.request),
    callMetadata(connection.token, options),
    callDeadline(options),
  )
  connection.track(running)
  yield* receive<Reply>(running, { connection, path, options })
}
