import { createServer } from 'node:https'
import { createTestCa, listenOnFreePort, startUpstream, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openClient } from './__fixtures__/test-client.ts'

const ca = createTestCa()
const resolve = async () => ['127.0.0.1']

/** An HTTPS server that answers with the requested server name. */
async function startNamed(...hosts: [string, ...string[]]) {
  const server = createServer(ca.issue(hosts), (request, response) => {
    const name = 'servername' in request.socket ? request.socket.servername : undefined
    response.end(JSON.stringify([name, request.headers.host, request.headers.authorization]))
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { port, [Symbol.asyncDispose]: sockets.close }
}

describe('HTTPS', () => {
  it('keeps the name in SNI, in Host and in the check of the certificate, though it connects to an address', async () => {
    await using server = await startNamed('cdn.example')
    const { client, request } = openClient({ ca: ca.cert, resolve })
    const reply = await client.fetch(`https://CDN.example.:${server.port}/`, request)
    expect(await reply.json()).toEqual(['cdn.example', `cdn.example:${server.port}`, null])
  })

  it('checks an address against the addresses of the certificate, without SNI', async () => {
    await using server = await startNamed('127.0.0.1')
    const { client, request } = openClient({ ca: ca.cert })
    const reply = await client.fetch(`https://127.0.0.1:${server.port}/`, request)
    expect(await reply.json()).toEqual([false, `127.0.0.1:${server.port}`, null])
  })

  it.each([
    ['for another name', 'https://other.example', ca.cert],
    ['for a name, at an address', 'https://127.0.0.1', ca.cert],
    ['of an untrusted authority', 'https://cdn.example', undefined],
    ['of another authority', 'https://cdn.example', createTestCa().cert],
  ])('refuses a certificate %s before it sends anything', async (_how, origin, trusted) => {
    await using upstream = await startUpstream({ protocol: 'https', hosts: ['cdn.example'], ca })
    const { client, request } = openClient({ ca: trusted, resolve })
    const credentials = { origin: `${origin}:${upstream.port}`, authorization: 'Bearer key' }
    const fetching = client.fetch(`${origin}:${upstream.port}/`, { ...request, credentials })
    await expect(fetching).rejects.toMatchObject({ code: 'fetch_failed', details: { reason: 'tls' } })
    expect(upstream.requests).toHaveLength(0)
  })

  it('refuses bad certificates although the environment says not to', async () => {
    await using upstream = await startUpstream({ protocol: 'https', hosts: ['cdn.example'], ca })
    const { client, request } = openClient({ resolve })
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0'
    try {
      const fetching = client.fetch(`https://cdn.example:${upstream.port}/`, request)
      await expect(fetching).rejects.toMatchObject({ details: { reason: 'tls' } })
    } finally {
      delete process.env.NODE_TLS_REJECT_UNAUTHORIZED
    }
    expect(upstream.requests).toHaveLength(0)
  })

  it('is not spoken by a plain server', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient()
    const fetching = client.fetch(`https://127.0.0.1:${upstream.port}/`, request)
    await expect(fetching).rejects.toMatchObject({ details: { reason: 'tls' } })
  })

  it('loses its credentials on the way to plain HTTP', async () => {
    await using plain = await startUpstream()
    await using secure = await startUpstream({ protocol: 'https', ca })
    secure.replyWith({ status: 302, headers: { location: `http://127.0.0.1:${plain.port}/` } })
    const { client, request } = openClient({ ca: ca.cert, allow: { cidrs: ['127.0.0.1'], hosts: [] } })
    const origin = `https://127.0.0.1:${secure.port}`
    const credentials = { origin, authorization: 'Bearer key' }
    await using _reply = await client.fetch(origin, { ...request, credentials, redirects: 1 })
    expect((await secure.request(0)).header('authorization')).toEqual(['Bearer key'])
    expect((await plain.request(0)).header('authorization')).toEqual([])
  })
})
