import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import {
  authorityUnusable,
  bodyTooLarge,
  bufferFull,
  filterUnavailable,
  invalidRequest,
  MitmError,
  misdirected,
  toStatus,
} from './errors.ts'
import { createRefusal } from './refusal.ts'

const cause = new Error('inner')
const parse = (body: Buffer) => JSON.parse(body.toString())

describe('a refusal', () => {
  it.each<[SvcError, number, string, number | undefined]>([
    [invalidRequest('no path'), 400, 'invalid_request', undefined],
    [invalidRequest('odd', 'invalid_coding', cause), 400, 'invalid_coding', undefined],
    [new MitmError('forbidden', 'no', { code: 'no' }), 403, 'no', undefined],
    [new MitmError('method_not_allowed', 'no', { code: 'no' }), 405, 'no', undefined],
    [bodyTooLarge(7), 413, 'body_too_large', undefined],
    [new MitmError('unsupported_media', 'no', { code: 'no' }), 415, 'no', undefined],
    [misdirected(), 421, 'misdirected_request', undefined],
    [new MitmError('not_implemented', 'no', { code: 'no' }), 501, 'no', undefined],
    [new SvcError('upstream_failed', 'no'), 502, 'upstream_failed', undefined],
    [new SvcError('timeout', 'no'), 502, 'timeout', undefined],
    [filterUnavailable(cause), 503, 'pii_ner_unavailable', 1000],
    [bufferFull(), 503, 'mitm_buffer_full', 1000],
    [new SvcError('loop', 'no'), 508, 'loop', undefined],
    [authorityUnusable('it is old', cause), 500, 'mitm_authority_unusable', undefined],
    [new SvcError('internal', 'no'), 500, 'internal', undefined],
  ])('for "%s" has the status %i and the code %s', (error, status, code, retryAfterMs) => {
    expect([toStatus(error), error.code, error.retryAfterMs]).toEqual([status, code, retryAfterMs])
    const { headers, body } = createRefusal(error, 'chat-completions', { correlationId: 'c1' })
    expect(headers).toEqual([
      ...['content-type', 'application/json', 'content-length', String(body.length), 'x-correlation-id', 'c1'],
      ...(retryAfterMs === undefined ? [] : ['retry-after', '1']),
    ])
  })

  it('keeps its cause, and names the limit of a body', () => {
    for (const error of [invalidRequest('x', 'y', cause), filterUnavailable(cause), authorityUnusable('x', cause)]) {
      expect(error.cause).toBe(cause)
    }
    for (const error of [invalidRequest('x'), filterUnavailable(), authorityUnusable('x')]) {
      expect('cause' in error && error.cause !== undefined).toBe(false)
    }
    expect(bodyTooLarge(7).message).toBe('the request body exceeds the limit of 7 bytes')
    expect(filterUnavailable().details).toEqual({ type: 'pii_ner_unavailable' })
    expect(authorityUnusable('it is old').message).toBe('the interception authority cannot be used: it is old')
  })

  it.each([
    ['chat-completions', 400, { type: 'invalid_request_error', message: 'm', code: 400, param: null }],
    ['chat-completions', 502, { type: 'server_error', message: 'm', code: 502, param: null }],
    [undefined, 400, { type: 'invalid_request_error', message: 'm', code: 400, param: null }],
    ['messages', 400, { type: 'invalid_request_error', message: 'm' }],
    ['messages', 502, { type: 'api_error', message: 'm' }],
    ['responses', 400, { type: 'invalid_request', message: 'm', code: '', param: '' }],
    ['responses', 502, { type: 'server_error', message: 'm', code: '', param: '' }],
  ] as const)('on a path of %s with status %i has the error %j', (format, status, expected) => {
    const error = new SvcError(status === 400 ? 'invalid_request' : 'upstream_failed', 'm')
    const { body } = createRefusal(error, format, { correlationId: 'c1', fields: { findings: [1] } })
    const outer = format === 'messages' ? { type: 'error' } : {}
    expect(parse(body)).toEqual({ ...outer, error: expected, correlation_id: 'c1', findings: [1] })
  })

  it.each(['pii_blocked', 'pii_ner_unavailable'])('keeps the type %s in all formats', (code) => {
    for (const format of ['chat-completions', 'messages', 'responses', undefined] as const) {
      const { body } = createRefusal(new SvcError('invalid_request', 'm', { code }), format, { correlationId: 'c1' })
      expect(parse(body).error.type).toBe(code)
    }
  })

  it('rounds a wait up to whole seconds', () => {
    const error = new SvcError('unavailable', 'm', { retryAfterMs: 1001 })
    expect(createRefusal(error, 'chat-completions', { correlationId: 'c1' }).headers.slice(-2)).toEqual([
      'retry-after',
      '2',
    ])
  })
})
