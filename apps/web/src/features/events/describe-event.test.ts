import { expect, it } from 'vitest'
import type { AuditEvent } from './api.ts'
import { readDeed, readSubject } from './describe-event.ts'

const event = (fields: Partial<AuditEvent>): AuditEvent => ({
  id: '1',
  kind: 'pii',
  created_at: '2026-01-01T00:00:00Z',
  ...fields,
})

it.each([
  [{ kind: 'pii', action: 'block' }, 'block', 'bad'],
  [{ kind: 'pii', action: 'mask' }, 'mask', 'warn'],
  [{ kind: 'pii', action: 'allow' }, 'allow', 'ok'],
  [{ kind: 'proxy_connect', intercepted: true }, 'intercepted', 'ok'],
  [{ kind: 'proxy_connect', intercepted: false }, 'tunnel', 'neutral'],
  [{ kind: 'proxy_connect', intercepted: false, closed: true }, 'closed', 'bad'],
  [{ kind: 'proxy_traffic', outcome: 'blocked' }, 'block', 'bad'],
  [{ kind: 'proxy_traffic', outcome: 'relayed' }, 'relayed', 'ok'],
  [{ kind: 'proxy_traffic' }, 'relayed', 'ok'],
  [{ kind: 'admission', status_code: 429 }, 'limited', 'warn'],
  [{ kind: 'administration', outcome: 'done' }, 'done', 'ok'],
  [{ kind: 'administration', outcome: 'failed' }, 'failed', 'bad'],
  [{ kind: 'account', outcome: 'done' }, 'done', 'ok'],
] as const)('tells %j as %s', (fields, word, tone) => {
  expect(readDeed(event(fields))).toEqual({ word, tone })
})

it('names what an event is about', () => {
  expect(readSubject(event({ pattern_id: 'ner:EMAIL' }))).toBe('ner:EMAIL')
  expect(readSubject(event({ kind: 'proxy_connect', host: 'api.example' }))).toBe('api.example')
  expect(readSubject(event({ kind: 'admission', model: 'small' }))).toBe('small')
  expect(readSubject(event({ kind: 'administration', change: 'user.role', target: 'x' }))).toBe('user.role')
  expect(readSubject(event({ kind: 'admission', model: 5 }))).toBe('')
})
