import { SvcError } from '@svc/errors'

/**
 * A pattern that the grammar does not allow. `details.offset` is the UTF-16 offset in the pattern, `details.reason` says
 * what is wrong there.
 */
export class PatternSyntaxError extends SvcError {
  override readonly name = 'PatternSyntaxError'
  /** UTF-16 offset of the fault in the pattern. */
  readonly offset: number
  /** What is wrong there. */
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
