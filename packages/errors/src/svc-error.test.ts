import { describe, expect, it } from 'vitest'
import { ERROR_KINDS, isErrorKind, SvcError, toSvcError } from './index.ts'

describe('SvcError', () => {
  it('takes the kind as code when none is given', () => {
    expect(new SvcError('conflict', 'taken').code).toBe('conflict')
  })

  it('keeps code, cause, wait and details', () => {
    const cause = new Error('socket closed')
    const error = new SvcError('rate_limited', 'full', {
      code: 'admission_rejected',
      cause,
      retryAfterMs: 1500,
      details: { type: 'rate_limit_error' },
    })
    expect(error).toMatchObject({ kind: 'rate_limited', code: 'admission_rejected', retryAfterMs: 1500, cause })
    expect(error.details?.type).toBe('rate_limit_error')
  })

  it('has no cause property when none was given', () => {
    expect('cause' in new SvcError('internal', 'x')).toBe(false)
  })

  it('recognises an error of another copy of the package by its brand', () => {
    class Foreign extends Error {}
    Object.defineProperty(Foreign.prototype, Symbol.for('svc.error'), { value: true })
    expect(SvcError.is(new Foreign())).toBe(true)
  })

  it('recognises subclasses and refuses everything else', () => {
    class Sub extends SvcError {
      override readonly name = 'Sub'
    }
    expect(SvcError.is(new Sub('internal', 'x'))).toBe(true)
    for (const other of [new Error('x'), null, undefined, 'text', {}, 7]) expect(SvcError.is(other)).toBe(false)
  })
})

describe('toSvcError', () => {
  it('returns a SvcError as it is', () => {
    const error = new SvcError('forbidden', 'no')
    expect(toSvcError(error)).toBe(error)
  })

  it('reads an abort as cancelled', () => {
    expect(toSvcError(new DOMException('gone', 'AbortError')).kind).toBe('cancelled')
  })

  it('hides the text of anything else and keeps it as cause', () => {
    const cause = new Error('password is hunter2')
    const error = toSvcError(cause)
    expect(error).toMatchObject({ kind: 'internal', message: 'internal error', cause })
    expect(toSvcError('plain text')).toMatchObject({ kind: 'internal', message: 'internal error' })
  })
})

describe('isErrorKind', () => {
  it('accepts the closed list and nothing else', () => {
    expect(ERROR_KINDS.every(isErrorKind)).toBe(true)
    expect(isErrorKind('teapot')).toBe(false)
    expect(isErrorKind(400)).toBe(false)
  })
})
