import type { CodedMethod } from '../codec/codecs.ts'
import { FRAME_HEAD_BYTES } from '../codec/framed.ts'
import { toBackendError } from '../errors.ts'
import { GRPC } from '../grpc-status.ts'
import type { PartialMessage } from '../method.ts'

/**
 * Writes a request with its head in front.
 *
 * @throws `backend_error` (internal) for a value that the message cannot hold, `message_too_large` (too_large)
 */
export function frameRequest<Request>(
  { path, codec }: CodedMethod<Request, unknown>,
  request: PartialMessage<Request>,
  maxMessageBytes: number,
): Buffer {
  const frame = writeFrame()
  if (frame.length <= FRAME_HEAD_BYTES + maxMessageBytes) return frame
  const details = `a message cannot be larger than ${maxMessageBytes}`
  throw toBackendError({ code: GRPC.RESOURCE_EXHAUSTED, details, cause: new Error(details) }, { path, maxMessageBytes })

  function writeFrame(): Buffer {
    try {
      return codec.frame(request)
    } catch (cause) {
      const details = `the request cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
      throw toBackendError({ code: GRPC.INTERNAL, details, cause }, { path, maxMessageBytes })
    }
  }
}
