import { type CodedMethod, frameRequest } from '../codec/codecs.ts'
import type { Connection } from '../connection/connection.ts'
import { toAbortError } from '../errors.ts'
import { GRPC } from '../grpc-status.ts'
import type { PartialMessage } from '../method.ts'
import { Call } from './call.ts'
import { checkMetadata } from './call-headers.ts'
import type { CallOptions } from './options.ts'

/** Calls a method of one request and one reply. Settles at once when the signal is aborted. */
export function callUnary<Request, Reply>(
  connection: Connection,
  method: CodedMethod<Request, Reply>,
  { request, options }: { readonly request: PartialMessage<Request>; readonly options: CallOptions },
): Promise<Reply> {
  const { path, codec } = method
  return new Promise<Reply>((resolve, reject) => {
    if (options.signal?.aborted) return reject(toAbortError(options.signal, path))
    checkMetadata(options.metadata)
    connection.checkOpen(path)
    const frame = frameRequest(method, request, connection.maxMessageBytes)
    let reply: Reply | undefined
    const call = new Call(
      connection,
      { path, options, send: (stream) => stream.end(frame) },
      {
        onMessage(bytes) {
          if (reply === undefined) reply = call.decode(codec.decode, bytes)
          else call.fail({ code: GRPC.UNIMPLEMENTED, details: 'the backend sent more than one reply' })
        },
        onEnd(error) {
          if (error !== undefined) reject(error)
          else if (reply !== undefined) resolve(reply)
          else reject(call.toError({ code: GRPC.UNIMPLEMENTED, details: 'the backend sent no reply' }))
        },
      },
    )
    call.start()
  })
}
