import type { LeanMethod } from '../codec/lean-methods.ts'
import { toAbortError } from '../errors.ts'
import { GRPC } from '../grpc-status.ts'
import { checkMetadata } from '../invoke/metadata.ts'
import type { CallOptions } from '../invoke/options.ts'
import type { PartialMessage } from '../method.ts'
import { frameRequest } from './frame-request.ts'
import { LeanCall } from './lean-call.ts'
import type { LeanConnection } from './lean-connection.ts'

/** Calls a method of one request and one reply. Settles at once when the signal is aborted. */
export function callLeanUnary<Request, Reply>(
  connection: LeanConnection,
  method: LeanMethod<'unary', Request, Reply>,
  { request, options }: { readonly request: PartialMessage<Request>; readonly options: CallOptions },
): Promise<Reply> {
  const { path } = method
  return new Promise<Reply>((resolve, reject) => {
    if (options.signal?.aborted) return reject(toAbortError(options.signal, path))
    checkMetadata(options.metadata)
    connection.checkOpen(path)
    const frame = frameRequest(method, request, connection.maxMessageBytes)
    let reply: Reply | undefined
    const call = new LeanCall(
      connection,
      { path, frame, options },
      {
        onMessage(bytes) {
          if (reply === undefined) reply = call.decode(method.decode, bytes)
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
