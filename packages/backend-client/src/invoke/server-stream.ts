import type { Connection } from '../connection.ts'
import { toAbortError } from '../errors.ts'
import { encodeMessage, type Method, type PartialMessage } from '../method.ts'
import { PUSH, type PushableReplies, pullInto, type ReplySink } from '../push-replies.ts'
import { callDeadline, callMetadata, type StreamOptions } from './options.ts'
import { receive } from './receive.ts'

/** The request of a stream. */
interface StreamCall<Request> {
  readonly request: PartialMessage<Request>
  readonly options: StreamOptions
}

/** Calls a method of one request and many replies. The call starts with the first read, or with the push. */
export function callServerStream<Request, Reply>(
  connection: Connection,
  method: Method<'server-stream', Request, Reply>,
  call: StreamCall<Request>,
): PushableReplies<Reply> {
  return Object.assign(pullReplies(connection, method, call), {
    [PUSH]: (sink: ReplySink<Reply>) => {
      const left = new AbortController()
      const { signal: given } = call.options
      const signal = given === undefined ? left.signal : AbortSignal.any([given, left.signal])
      const replies = pullReplies(connection, method, { ...call, options: { ...call.options, signal } })
      return pullInto(replies, sink, () => left.abort())
    },
  })
}

async function* pullReplies<Request, Reply>(
  connection: Connection,
  method: Method<'server-stream', Request, Reply>,
  call: StreamCall<Request>,
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
