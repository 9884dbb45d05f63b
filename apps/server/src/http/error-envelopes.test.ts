import { ERROR_KINDS, SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { toPublicError } from '../public-error.ts'
import { errorBody } from './error-envelopes.ts'
import { isPermanent, retryAfterSeconds, toStatus } from './error-map.ts'

describe('toStatus', () => {
  it('gives every kind its status', () => {
    const statuses = Object.fromEntries(ERROR_KINDS.map((kind) => [kind, toStatus(new SvcError(kind, 'x'))]))
    expect(statuses).toEqual({
      invalid_request: 400,
      unauthenticated: 401,
      forbidden: 403,
      not_found: 404,
      method_not_allowed: 405,
      conflict: 409,
      precondition_failed: 412,
      too_large: 413,
      unsupported_media: 415,
      misdirected: 421,
      unprocessable: 422,
      rate_limited: 429,
      cancelled: 499,
      internal: 500,
      not_implemented: 501,
      upstream_failed: 502,
      unavailable: 503,
      timeout: 500,
      insufficient_storage: 507,
      loop: 508,
    })
  })

  it('tells an upstream that timed out from a backend', () => {
    expect(toStatus(new SvcError('timeout', 'x', { details: { upstream: true } }))).toBe(502)
  })

  it('keeps the status of an upstream', () => {
    for (const status of [400, 401, 402, 408, 418, 451, 529])
      expect(toStatus(new SvcError('upstream_failed', 'x', { code: 'upstream_status', details: { status } }))).toBe(
        status,
      )
    expect(toStatus(new SvcError('upstream_failed', 'x', { details: { status: 401 } }))).toBe(502)
  })
})

describe('retryAfterSeconds', () => {
  // verifies chat:admission:retry-after
  it('is whole and at least 1', () => {
    expect(retryAfterSeconds(new SvcError('unavailable', 'x', { retryAfterMs: 1 }))).toBe(1)
    expect(retryAfterSeconds(new SvcError('unavailable', 'x', { retryAfterMs: 9001 }))).toBe(10)
    expect(retryAfterSeconds(new SvcError('rate_limited', 'x'))).toBe(1)
    expect(retryAfterSeconds(new SvcError('internal', 'x'))).toBeUndefined()
  })
})

describe('isPermanent', () => {
  it('marks what official clients would retry in vain', () => {
    for (const kind of ['conflict', 'not_implemented', 'insufficient_storage'] as const)
      expect(isPermanent(new SvcError(kind, 'x'))).toBe(true)
    expect(isPermanent(new SvcError('internal', 'x', { code: 'model_load_failed' }))).toBe(true)
    for (const kind of ['rate_limited', 'unavailable', 'internal'] as const)
      expect(isPermanent(new SvcError(kind, 'x'))).toBe(false)
  })

  it.each([
    ['rate_limited', 1000, false],
    ['rate_limited', 60_000, false],
    ['rate_limited', 60_001, true],
    ['rate_limited', 86_400_000, true],
    ['unavailable', 3_600_000, false],
  ] as const)('%s for %i ms: %s', (kind, retryAfterMs, permanent) => {
    expect(isPermanent(new SvcError(kind, 'x', { retryAfterMs }))).toBe(permanent)
  })
})

describe('toPublicError', () => {
  it('keeps what was thrown on purpose and hides the rest', () => {
    const own = new SvcError('internal', 'could not load model')
    expect(toPublicError(own)).toBe(own)
    expect(toPublicError(new TypeError('x is not a function')).message).toBe('internal server error')
  })
})

describe('errorBody', () => {
  const notFound = new SvcError('not_found', 'no such model', { code: 'model_not_found', details: { param: 'model' } })
  const blocked = new SvcError('invalid_request', 'blocked', { code: 'pii_blocked', details: { type: 'pii_blocked' } })
  const broken = new SvcError('internal', 'prediction failed')

  // verifies errors:envelope:compatible, errors:envelope:integer-code
  it('compatible: four keys, a named code where it is part of the contract', () => {
    expect(errorBody(notFound, 'compatible')).toEqual({
      error: { code: 'model_not_found', message: 'no such model', type: 'invalid_request_error', param: 'model' },
    })
    expect(errorBody(broken, 'compatible')).toEqual({
      error: { code: 500, message: 'prediction failed', type: 'server_error', param: null },
    })
    // verifies errors:envelope:audio-vendor
    expect(errorBody(new SvcError('forbidden', 'no'), 'vendor')).toEqual({
      error: { code: 403, message: 'no', type: 'authorization_error', param: null },
      detail: { status: 'forbidden', message: 'no' },
    })
  })

  it('compatible: carries how far a load is', () => {
    const loading = new SvcError('unavailable', 'loading', {
      code: 'model_loading',
      details: { type: 'model_loading', loading: { model: 'm' } },
    })
    expect(errorBody(loading, 'compatible')).toEqual({
      error: { code: 'model_loading', message: 'loading', type: 'model_loading', param: null },
      loading: { model: 'm' },
    })
  })

  it('messages: its own types, the specified ones kept', () => {
    expect(errorBody(notFound, 'messages')).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'no such model' },
    })
    expect(errorBody(broken, 'messages')).toEqual({
      type: 'error',
      error: { type: 'api_error', message: 'prediction failed' },
    })
    expect(errorBody(blocked, 'messages')).toEqual({
      type: 'error',
      error: { type: 'pii_blocked', message: 'blocked' },
    })
  })

  it('responses: its own types and string fields', () => {
    expect(errorBody(notFound, 'responses')).toEqual({
      error: { type: 'not_found', message: 'no such model', code: 'model_not_found', param: 'model' },
    })
    expect(errorBody(new SvcError('invalid_request', 'bad'), 'responses')).toEqual({
      error: { type: 'invalid_request', message: 'bad', code: '', param: '' },
    })
  })

  it('string: a text for every failure, its type beside it', () => {
    expect(errorBody(notFound, 'string')).toEqual({ error: 'no such model', type: 'invalid_request_error' })
    expect(errorBody(blocked, 'string')).toEqual({ error: 'blocked', type: 'pii_blocked' })
    const unknown = new SvcError('unauthenticated', 'key?')
    expect(errorBody(unknown, 'string')).toEqual({ error: 'key?', type: 'invalid_request_error' })
    const busy = new SvcError('rate_limited', 'later')
    expect(errorBody(busy, 'string')).toEqual({ error: 'later', type: 'rate_limit_error' })
  })

  it('rerank: the compatible body with the message beside it', () => {
    expect(errorBody(notFound, 'rerank')).toEqual({ ...errorBody(notFound, 'compatible'), message: 'no such model' })
  })

  it('a 401 of the compatible family says what a client looks for', () => {
    const wrong = new SvcError('unauthenticated', 'key?')
    expect(errorBody(wrong, 'compatible')).toMatchObject({ error: { detail: 'Incorrect API key provided' } })
    expect(errorBody(notFound, 'compatible')).not.toMatchObject({ error: { detail: expect.anything() } })
  })

  it('flat: text, but the specified envelope from the gate', () => {
    expect(errorBody(notFound, 'flat')).toEqual({ error: 'no such model' })
    const details = { type: 'authorization_error' }
    expect(errorBody(new SvcError('forbidden', 'no', { details }), 'flat')).toMatchObject({
      error: { code: 403, message: 'no' },
    })
    expect(errorBody(new SvcError('forbidden', 'account disabled'), 'flat')).toEqual({ error: 'account disabled' })
  })
})
