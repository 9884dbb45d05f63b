import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { piiBlocked, piiUnavailable, piiUnsupportedTransport } from './errors.ts'

describe('refusals', () => {
  it('a block names the request and the extra members of its body', () => {
    expect(piiBlocked({ correlation_id: 'c1', pii_event_id: 'pii_0' })).toMatchObject({
      name: 'PiiError',
      kind: 'invalid_request',
      code: 'pii_blocked',
      message: 'request blocked by content policy (sensitive data detected)',
      details: { type: 'pii_blocked', beside: { correlation_id: 'c1', pii_event_id: 'pii_0' } },
    })
  })

  it('a blocked text has its entities beside the error', () => {
    const entities = [{ entity_type: 'EMAIL' }]
    const error = piiBlocked({ entities, correlation_id: undefined }, 'text')
    expect(error.message).toBe('text blocked by content policy (sensitive data detected)')
    expect(error.details).toEqual({ type: 'pii_blocked', beside: { entities } })
  })

  it('no extra members without fields', () => {
    expect(piiBlocked().details).toEqual({ type: 'pii_blocked' })
  })

  it('a failed detector may be tried again', () => {
    const failures = [{ detector: 'names', reason: 'timeout' }] as const
    expect(piiUnavailable(failures, { pii_event_id: 'pii_1' })).toMatchObject({
      kind: 'unavailable',
      code: 'pii_ner_unavailable',
      message: 'request blocked: PII NER check is configured but unavailable',
      retryAfterMs: 1000,
      details: { type: 'pii_ner_unavailable', beside: { pii_event_id: 'pii_1' }, failures },
    })
  })

  it('a transport that cannot be filtered is a mistake of the request', () => {
    const error = piiUnsupportedTransport()
    expect(error).toMatchObject({ kind: 'invalid_request', details: { type: 'pii_unsupported_transport' } })
    expect(SvcError.is(error)).toBe(true)
  })
})
