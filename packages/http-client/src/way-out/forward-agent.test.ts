import { once } from 'node:events'
import { createServer, type IncomingMessage, request as startHttp } from 'node:http'
import type { LookupFunction } from 'node:net'
import { createTestCa, listenOnFreePort, startForwardProxy, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createTrust } from '../trust-store.ts'
import { ForwardAgent } from './forward-agent.ts'
import { createWayOut } from './way-out.ts'

const ca = createTestCa()
const { signal } = new AbortController()

const findNothing: LookupFunction = (_host, _options, callback) =>
  callback(Object.assign(new Error('not found'), { code: 'ENOTFOUND' }), '')
const leadHere: LookupFunction = (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

/** A server that notes each request with the port that it came from. */
async function startPlain() {
  const seen: { readonly line: string; readonly from: number | undefined }[] = []
  const server = createServer((request, response) => {
    const { url, headers, socket } = request
    seen.push({ line: `${url} ${headers.host} ${headers['proxy-authorization']}`, from: socket.remotePort })
    request.resume().once('end', () => response.end('plain'))
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { seen, port, [Symbol.asyncDispose]: sockets.close }
}

/** Sends a request to `far.example`. */
async function post(agent: ForwardAgent, port: number): Promise<number | undefined> {
  await agent.findWay({ signal })
  const request = startHttp({ agent, method: 'POST', host: 'far.example', port, path: '/v1?a=b' })
  request.end('body')
  const [reply] = (await once(request, 'response')) as [IncomingMessage]
  reply.resume()
  await once(reply, 'end')
  return reply.statusCode
}

describe('the agent of requests without TLS', () => {
  it.each([
    ['over TCP', undefined],
    ['over TLS', ca.issue(['127.0.0.1'])],
  ])('asks a proxy %s for whole URLs, over connections that it keeps', async (_how, tls) => {
    await using proxy = await startForwardProxy({ credentials: 'me:secret', tls })
    await using plain = await startPlain()
    const url = proxy.url.replace('://', '://me:secret@')
    const destination = { host: 'far.example', port: plain.port }
    const wayOut = createWayOut(() => ({ http: url }), { lookup: findNothing })
    const agent = new ForwardAgent({ wayOut, destination, trust: createTrust(ca.cert), keepAlive: true })
    for (let count = 0; count < 2; count += 1) expect(await post(agent, plain.port)).toBe(200)
    const asked = {
      method: 'POST',
      target: `http://far.example:${plain.port}/v1?a=b`,
      authorization: `Basic ${Buffer.from('me:secret').toString('base64')}`,
    }
    expect(proxy.requests).toEqual([asked, asked])
    expect(plain.seen.map(({ line }) => line)).toEqual(Array(2).fill(`/v1?a=b far.example:${plain.port} undefined`))
    agent.destroy()
  })

  it.each([
    ['where the name leads to this machine', leadHere, (http: string) => ({ http }), [200]],
    ['where the list says so', leadHere, (http: string) => ({ http, no: 'far.example' }), ['ENOTFOUND', 'EAI_AGAIN']],
    ['where there is none for http', leadHere, (https: string) => ({ https }), ['ENOTFOUND', 'EAI_AGAIN']],
  ])('goes past the proxy %s', async (_what, lookup, toSettings, outcomes) => {
    await using proxy = await startForwardProxy({ credentials: 'me:secret' })
    await using plain = await startPlain()
    const url = proxy.url.replace('://', '://me:secret@')
    const wayOut = createWayOut(() => toSettings(url), { lookup })
    const agent = new ForwardAgent({ wayOut, destination: { host: 'far.example', port: plain.port } })
    // Without a proxy the system looks the name up, and does not know it.
    expect(outcomes).toContain(await post(agent, plain.port).catch(({ code }: NodeJS.ErrnoException) => code))
    for (const { line } of plain.seen) expect(line).toBe(`/v1?a=b far.example:${plain.port} undefined`)
    expect(proxy.requests).toEqual([])
    agent.destroy()
  })

  it('takes another way with the next request after a change of the settings', async () => {
    await using one = await startForwardProxy()
    await using two = await startForwardProxy({ credentials: 'me:secret' })
    await using plain = await startPlain()
    let http = one.url
    const wayOut = createWayOut(() => ({ http }), { lookup: findNothing })
    const destination = { host: 'far.example', port: plain.port }
    const agent = new ForwardAgent({ wayOut, destination, keepAlive: true })
    const counts: (readonly number[])[] = []
    const ways = [one.url, two.url.replace('://', '://me:secret@'), two.url, one.url]
    const statuses: (number | undefined)[] = []
    for (const way of ways) {
      http = way
      statuses.push(await post(agent, plain.port))
      counts.push([one.requests.length, two.requests.length])
    }
    expect(statuses).toEqual([200, 200, 407, 200])
    expect(counts).toEqual([
      [1, 0],
      [1, 1],
      [1, 2],
      [2, 2],
    ])
    agent.destroy()
  })
})
