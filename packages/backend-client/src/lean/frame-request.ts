import type { LeanMethod } from '../codec/lean-methods.ts'
import { toBackendError } from '../errors.ts'
import { GRPC } from '../grpc-status.ts'
import type { PartialMessage } from '../method.ts'

/**
 * Bytes of a request with their head.
 *
 * @throws `backend_error` (internal) for a value that the message cannot hold
 */
export function frameRequest<Request>(
  { path, frame }: Pick<LeanMethod<'unary' | 'server-stream', Request, unknown>, 'path' | 'frame'>,
  request: PartialMessage<Request>,
  maxMessageBytes: number,
): Buffer {
  try {
    return frame(request)
  } catch (cause) {
    const details = `the request cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
    throw toBackendError({ code: GRPC.INTERNAL, details, cause }, { path, maxMessageBytes })
  }
}
