import { type CodedMethod, frameRequest } from '../codec/codecs.ts'
import type { Connection } from '../connection/connection.ts'
import type { PartialMessage } from '../method.ts'
import { Call } from './call.ts'
import { checkMetadata } from './call-headers.ts'
import type { StreamOptions } from './options.ts'
import { ReplyStream } from './reply-stream.ts'

/** Calls a method of one request and many replies. The call starts with the first read, or with the push. */
export function callServerStream<Request, Reply>(
  connection: Connection,
  method: CodedMethod<Request, Reply>,
  { request, options }: { readonly request: PartialMessage<Request>; readonly options: StreamOptions },
): ReplyStream<Reply> {
  const { path, codec } = method
  return new ReplyStream({
    path,
    decode: codec.decode,
    options,
    createCall(receiver) {
      checkMetadata(options.metadata)
      connection.checkOpen(path)
      const frame = frameRequest(method, request, connection.maxMessageBytes)
      return new Call(connection, { path, options, send: (stream) => stream.end(frame) }, receiver)
    },
  })
}
