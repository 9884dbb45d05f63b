import { createServer } from 'node:http'
import { connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { createTestCa } from './certificates.ts'
import { askHttp1, askHttp2, connectThrough, connectTlsThrough } from './connect-client.ts'
import { listenOnFreePort } from './http-server.ts'
import { trackSockets } from './sockets.ts'
import { startUpstream } from './upstream.ts'

/** A proxy that tunnels any name to ports of this machine, and refuses the host `refused`. */
async function startTunnels() {
  const server = createServer()
  server.on('connect', ({ url = '' }, socket: Socket) => {
    const [host, port] = url.split(':')
    if (host === 'refused') {
      socket.end('HTTP/1.1 403 Forbidden\r\nconnection: close\r\n\r\nnot there')
      return
    }
    const upstream = connectTcp({ host: '127.0.0.1', port: Number(port) }, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
  })
  const sockets = trackSockets(server)
  return { port: await listenOnFreePort(server), [Symbol.asyncDispose]: sockets.close }
}

it('gives the answer of the proxy', async () => {
  await using tunnels = await startTunnels()
  await using upstream = await startUpstream()
  expect(await connectThrough(tunnels, 'refused:443')).toMatchObject({ status: 403, body: 'not there' })
  const { status, socket } = await connectThrough(tunnels, `any.example:${upstream.port}`)
  expect(status).toBe(200)
  socket.destroy()
})

it.each(['https', 'h2'] as const)(
  'asks a host of %s through the tunnel, and trusts one authority',
  async (protocol) => {
    const ca = createTestCa()
    await using tunnels = await startTunnels()
    await using upstream = await startUpstream({ protocol, ca, hosts: ['any.example'] })
    upstream.replyWith({ status: 201, headers: { 'x-a': 'b' }, body: 'hello' })
    const target = `any.example:${upstream.port}`
    await expect(connectTlsThrough(tunnels, target, { ca: createTestCa().cert })).rejects.toThrow()
    const tls = await connectTlsThrough(tunnels, target, {
      ca: ca.cert,
      protocols: [protocol === 'h2' ? 'h2' : 'http/1.1'],
    })
    const asked = { path: '/some/where', body: 'text', headers: { 'x-c': 'd' } }
    if (protocol === 'h2') {
      const session = connectHttp2(`https://${target}`, { createConnection: () => tls })
      expect(await askHttp2(session, asked)).toMatchObject({ status: 201, headers: { 'x-a': 'b' } })
      session.destroy()
    } else {
      const reply = await askHttp1(tls, target, asked)
      expect([reply.status, reply.headers['x-a'], reply.body.toString()]).toEqual([201, 'b', 'hello'])
      tls.destroy()
    }
    const [request] = upstream.requests
    expect([request?.method, request?.path, request?.text(), request?.header('x-c')]).toEqual([
      'POST',
      '/some/where',
      'text',
      ['d'],
    ])
  },
)
