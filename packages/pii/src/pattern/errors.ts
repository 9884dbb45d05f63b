import { SvcError } from '@svc/errors'

/**
 * A pattern outside of the grammar. `details.offset` is the UTF-16 offset in the pattern, `details.reason` the fault.
 */
export class PatternSyntaxError extends SvcError {
  override readonly name = 'PatternSyntaxError'
  /** UTF-16 offset of the fault in the pattern. */
  readonly offset: number
  /** The fault. */
  readonly reason: string

  constructor(reason: string, offset: number) {
    super('invalid_request', `invalid pattern at position ${offset}: ${reason}`, {
      code: 'pii_pattern_invalid',
      details: { offset, reason },
    })
    this.offset = offset
    this.reason = reason
  }
}
