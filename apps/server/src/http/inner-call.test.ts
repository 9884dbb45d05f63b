import { createLocalPrincipal, LEGACY_PRINCIPAL, type Principal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { toPerson } from '../../test/support/people.ts'
import { systemClock } from '../clock.ts'
import { createLogger } from '../logging/log.ts'
import { createMetrics } from '../monitoring/metrics.ts'
import { createBodyReader } from './body.ts'
import { createEdge } from './edge.ts'
import { ALREADY_SENT } from './http-reply.ts'
import type { InnerCaller, InnerRequest } from './inner-call.ts'
import { createInnerCalls } from './inner-calls.ts'
import { json } from './json.ts'
import { createGate } from './middleware/authorize.ts'
import { trustedProxies } from './middleware/client-address.ts'
import { corsPolicy } from './middleware/cors.ts'
import { hostPolicy } from './middleware/host.ts'
import { createReplyWriter } from './reply-writer.ts'
import { defineRoute, type Route } from './route.ts'
import type { MadeChange } from './route-audit.ts'

const bodies = createBodyReader({ maxBytes: 1000, idleMs: 1000, totalBytes: 10_000 })
const compression = { enabled: true, minLength: 1 }
const shared = { family: 'compatible', tag: 'test', summary: 'test' } as const

const READ = defineRoute({
  ...shared,
  method: 'GET',
  path: '/things/:name{.+}',
  access: 'any',
  handler: (call) =>
    json({
      name: call.param('name'),
      size: call.query('size'),
      path: call.path,
      who: call.principal.name,
      at: call.baseUrl,
      from: call.clientAddress,
      id: call.requestId,
    }),
})
const WRITE = defineRoute({
  ...shared,
  method: 'POST',
  path: '/things/*',
  access: 'admin',
  audit: { change: 'thing.write' },
  async handler(call) {
    const held = await bodies.read(call)
    const text = Buffer.from(held.bytes).toString()
    held.release()
    if (text === 'wrong') throw new SvcError('invalid_request', 'it is wrong')
    call.noteChange({ target: text })
    return json({ text })
  },
})
const STREAM = defineRoute({
  ...shared,
  method: 'GET',
  path: '/stream',
  access: 'any',
  async handler(call) {
    const writer = createReplyWriter(call, { compression })
    writer.startStream('text/plain')
    for (let line = 0; line < 1000; line += 1) await writer.write(`line ${line}\n`)
    writer.end()
    return ALREADY_SENT
  },
})
const SLOW = defineRoute({
  ...shared,
  method: 'GET',
  path: '/slow',
  access: 'any',
  handler: (call) =>
    new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason))),
})

function open({ rights = () => true }: { readonly rights?: () => boolean } = {}) {
  const changes: MadeChange[] = []
  const authenticator = {
    isConfigured: true,
    authenticate: () => undefined,
    recheck: async (found: ReturnType<typeof toPerson>) => (rights() ? found : undefined),
  }
  const edge = createEdge({
    gate: createGate(authenticator, { pathWithoutAuth: [] }),
    cors: () => corsPolicy({ allowOrigins: '', authConfigured: true }),
    host: hostPolicy(undefined, []),
    checksHost: () => false,
    recordChange: async (_, change) => void changes.push(change),
    proxies: trustedProxies([]),
    baseUrl: undefined,
    compression,
    machineTag: undefined,
    opaqueErrors: false,
    bodies,
    metrics: createMetrics(),
    clock: systemClock,
    log: createLogger({ level: 'error', format: 'json', destination: { write: () => undefined } }),
  })
  const calls = createInnerCalls()
  calls.open(edge, [READ, WRITE, STREAM, SLOW])
  const perform = (route: Route, request: Partial<InnerRequest> = {}, caller: InnerCaller = toCaller('root')) =>
    calls.perform({ route, tool: 'a_tool', maxBytes: 10_000, ...request }, caller, {
      signal: new AbortController().signal,
    })
  return { calls, perform, changes }
}

function toCaller(name: string, rights: Partial<Principal> = {}): InnerCaller {
  const authentication = toPerson(name, rights)
  const { principal } = authentication
  return { principal, authentication, requestId: 'r-1', clientAddress: '192.0.2.7', baseUrl: 'https://at.example/' }
}

describe('an inner call', () => {
  it('reaches a handler with its values and its caller', async () => {
    const { calls, perform } = open()
    const found = calls.find('GET /things/:name{.+}')
    expect(found).toBe(READ)
    const reply = await perform(READ, { params: { name: 'a b/c' }, query: { size: '3' } })
    expect([reply.status, reply.contentType, JSON.parse(reply.body.toString())]).toEqual([
      200,
      'application/json',
      {
        name: 'a b/c',
        size: '3',
        path: '/things/a%20b%2Fc',
        who: 'root',
        at: 'https://at.example/',
        from: '192.0.2.7',
        id: 'r-1',
      },
    ])
  })

  it('is kept in the audit log with its tool, unless it was refused', async () => {
    const { perform, changes } = open()
    const write = (text: string, caller?: InnerCaller) =>
      perform(WRITE, { params: { '*': 'x' }, body: Buffer.from(text) }, caller)
    expect((await write('one')).status).toBe(200)
    expect((await write('wrong')).status).toBe(400)
    const refused = await write('two', toCaller('ada'))
    expect([refused.status, refused.body.toString()]).toEqual([403, expect.stringContaining('Admin access required')])
    expect(changes).toEqual([{ change: 'thing.write', target: 'one', outcome: 'done', tool: 'a_tool' }])
  })

  it('has the rights of its moment', async () => {
    let isIn = true
    const { perform } = open({ rights: () => isIn })
    expect((await perform(STREAM)).status).toBe(200)
    isIn = false
    expect((await perform(STREAM)).status).toBe(401)
  })

  it('is for callers without a credential too, with the rights that they are given', async () => {
    const { perform } = open({ rights: () => false })
    const toStored = (principal: Principal): InnerCaller => ({ principal, requestId: 'r', baseUrl: 'http://a/' })
    expect((await perform(STREAM, {}, toStored(createLocalPrincipal()))).status).toBe(200)
    const body = Buffer.from('x')
    const user: Principal = { ...LEGACY_PRINCIPAL, role: 'user' }
    expect((await perform(WRITE, { body }, toStored(user))).status).toBe(403)
  })

  it('keeps no more of a reply than was asked for', async () => {
    const { perform } = open()
    const whole = await perform(STREAM)
    expect([whole.isCut, whole.body.toString().endsWith('line 999\n')]).toEqual([false, true])
    const cut = await perform(STREAM, { maxBytes: 20 })
    expect([cut.status, cut.isCut, cut.body.length]).toEqual([200, true, 20])
  })

  it('ends with its signal', async () => {
    const { calls } = open()
    const ending = new AbortController()
    const request = { route: SLOW, tool: 't', maxBytes: 100 }
    const reply = calls.perform(request, toCaller('root'), { signal: ending.signal })
    ending.abort(new SvcError('cancelled', 'no longer wanted'))
    expect((await reply).status).toBeGreaterThan(398)
    expect((await calls.perform(request, toCaller('root'), { signal: ending.signal })).status).toBeGreaterThan(398)
  })

  it('needs open routes', async () => {
    const closed = createInnerCalls()
    expect(closed.find('GET /stream')).toBeUndefined()
    const request = { route: STREAM, tool: 't', maxBytes: 100 }
    const { signal } = new AbortController()
    await expect(closed.perform(request, toCaller('root'), { signal })).rejects.toMatchObject({ kind: 'unavailable' })
  })
})
