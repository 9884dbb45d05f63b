import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { silentLogger } from '../backends/__fixtures__/silent-logger.ts'
import { systemClock } from '../clock.ts'
import { createOutboundClient } from '../outbound/client.ts'
import { createFrontEnd, type FrontEnd } from './front-end.ts'

const signal = new AbortController().signal
const calls: { readonly line: string; readonly token: string | undefined; readonly body: string }[] = []
let answer: readonly [number, unknown] = [200, {}]
const server = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk) => {
    body += chunk
  })
  request.on('end', () => {
    calls.push({ line: `${request.method} ${request.url}`, token: request.headers.authorization, body })
    response.writeHead(answer[0], { 'content-type': 'application/json' }).end(JSON.stringify(answer[1]))
  })
})
let frontEnd: FrontEnd
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const client = createOutboundClient({
    allow: { cidrs: [], hosts: [] },
    clock: systemClock,
    log: silentLogger,
    userAgent: 'test',
  })
  frontEnd = createFrontEnd({ url: `http://127.0.0.1:${port}/base/`, token: 'secret', client })
})
afterAll(() => server.close())

const REPLY = { id: 'n', name: 'w1', node_type: 'backend', status: 'pending', created_at: '2026-01-01T00:00:00Z' }

it('registers with the token', async () => {
  answer = [201, REPLY]
  expect(await frontEnd.register({ name: 'w1' }, { signal })).toEqual(REPLY)
  expect(calls.at(-1)).toEqual({ line: 'POST /base/api/node/register', token: 'Bearer secret', body: '{"name":"w1"}' })
})

it('tells refusals that stay from failures that pass', async () => {
  answer = [401, { error: { message: 'invalid registration token' } }]
  await expect(frontEnd.register({}, { signal })).rejects.toMatchObject({
    code: 'registration_refused',
    message: 'the front end answers with status 401: invalid registration token',
  })
  answer = [503, { error: 'later' }]
  await expect(frontEnd.register({}, { signal })).rejects.toMatchObject({
    code: 'front_end_failed',
    message: 'the front end answers with status 503: later',
  })
  answer = [200, { hello: 'world' }]
  await expect(frontEnd.register({}, { signal })).rejects.toMatchObject({ code: 'front_end_reply' })
})

it('sends signs of life, and hears when it is not known any more', async () => {
  answer = [200, { message: 'heartbeat received' }]
  expect(await frontEnd.heartbeat('a/b', { available_ram: 1 }, { signal })).toBe(true)
  expect(calls.at(-1)?.line).toBe('POST /base/api/node/a%2Fb/heartbeat')
  answer = [404, { error: { message: 'node not found' } }]
  expect(await frontEnd.heartbeat('n', {}, { signal })).toBe(false)
  answer = [200, { status: 'offline' }]
  expect(await frontEnd.heartbeat('n', {}, { signal })).toBe(false)
  answer = [500, {}]
  await expect(frontEnd.heartbeat('n', {}, { signal })).rejects.toMatchObject({ code: 'front_end_failed' })
})

it('counts running requests, drains and deregisters', async () => {
  answer = [200, [{ in_flight: 2 }, { in_flight: 1 }, {}]]
  expect(await frontEnd.countRunning('n', { signal })).toBe(3)
  answer = [200, { message: 'done' }]
  await frontEnd.change('n', 'drain', { signal })
  await frontEnd.change('n', 'deregister', { signal })
  expect(calls.slice(-2).map(({ line }) => line)).toEqual([
    'POST /base/api/node/n/drain',
    'POST /base/api/node/n/deregister',
  ])
  answer = [409, { error: { message: 'the node is offline' } }]
  await expect(frontEnd.change('n', 'drain', { signal })).rejects.toThrow('the node is offline')
})
