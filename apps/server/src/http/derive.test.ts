import { SvcError } from '@svc/errors'
import { expect, it, onTestFinished } from 'vitest'
import { startTestApp } from '../../test/support/test-app.ts'
import { json } from './json.ts'
import { defineRoute } from './route.ts'

it('requests inside a call differ in their id, start and end, and in nothing else', async () => {
  const seen: unknown[] = []
  const app = await startTestApp([
    defineRoute({
      access: 'any',
      family: 'compatible',
      tag: 'test',
      summary: 'test',
      method: 'POST',
      path: '/at/:place',
      handler(call) {
        const cut = new AbortController()
        const gone = AbortSignal.abort(new SvcError('cancelled', 'gone'))
        const turns = {
          cut: call.derive({ signal: cut.signal, requestId: 'turn-1', startedAt: 5 }),
          detached: call.derive({ signal: cut.signal }),
          closed: call.derive({ signal: cut.signal }),
          free: call.derive(),
          late: call.derive({ signal: gone }),
          ended: call.derive(),
        }
        turns.detached.detach()
        turns.closed.close()
        cut.abort(new SvcError('cancelled', 'cut'))
        turns.ended.end(new SvcError('forbidden', 'access ended'))
        const reasons = Object.entries(turns).map(([name, { call: own }]) => {
          const { aborted, reason } = own.signal
          return [name, aborted && SvcError.is(reason) ? reason.message : aborted]
        })
        const { requestId, startedAt, principal, clientAddress, baseUrl, path } = turns.cut.call
        expect({ principal, clientAddress, baseUrl, path }).toEqual({
          principal: call.principal,
          clientAddress: call.clientAddress,
          baseUrl: call.baseUrl,
          path: call.path,
        })
        expect([turns.cut.call.param('place'), turns.cut.call.header('x-mark')]).toEqual(['home', 'mine'])
        expect([turns.free.call.requestId, turns.free.call.startedAt]).toEqual([call.requestId, call.startedAt])
        for (const { close } of Object.values(turns)) close()
        seen.push([requestId, startedAt], Object.fromEntries(reasons), call.signal.aborted)
        return json({})
      },
    }),
  ])
  onTestFinished(() => app[Symbol.asyncDispose]())
  const reply = await fetch(`${app.url}/at/home`, { method: 'POST', headers: { 'x-mark': 'mine' } })
  expect(reply.status).toBe(200)
  expect(seen).toEqual([
    ['turn-1', 5],
    { cut: 'cut', detached: false, closed: false, free: false, late: 'gone', ended: 'access ended' },
    false,
  ])
})
