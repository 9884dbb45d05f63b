import type { status } from '@grpc/grpc-js'

/**
 * A failure with an exact gRPC status and no trailers, for backends that imitate another one: gateways and test
 * doubles. All others throw a `SvcError`.
 */
export class StatusError extends Error {
  override readonly name = 'StatusError'
  /** The gRPC status code. */
  readonly code: status

  constructor(code: status, message: string) {
    super(message)
    this.code = code
  }
}
