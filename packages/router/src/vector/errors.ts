import { SvcError } from '@svc/errors'

/** Codes of {@link VectorError}. */
export type VectorErrorCode = 'vector_invalid' | 'vector_dimension' | 'vector_limit'

/** A key, a value or a count that a vector index refuses. */
export class VectorError extends SvcError {
  override readonly name = 'VectorError'

  constructor(code: VectorErrorCode, message: string) {
    super(code === 'vector_limit' ? 'insufficient_storage' : 'invalid_request', message, { code })
  }
}
