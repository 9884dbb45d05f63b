import type { status } from '@grpc/grpc-js'

/**
 * A failure with an exact gRPC status and nothing beside it, for backends that stand in for another one: gateways and
 * test doubles. Everybody else throws a `SvcError`.
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
