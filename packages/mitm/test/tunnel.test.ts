import { once } from 'node:events'
import { connect as connectTcp, createServer, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { connect as connectTls } from 'node:tls'
import { listenOnFreePort, trackSockets } from '@svc/test-kit'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { connectThrough, LISTED, OTHER, startWorld, tlsThrough } from './world.ts'

/** A server that sends back everything, and ends when the client does. */
async function startEcho() {
  const server = createServer({ allowHalfOpen: true }, (socket) => socket.pipe(socket))
  const sockets = trackSockets(server)
  return { port: await listenOnFreePort(server), sockets, [Symbol.asyncDispose]: sockets.close }
}

/** Reads exactly so many bytes. */
async function read(socket: Socket, size: number): Promise<Buffer> {
  const parts: Buffer[] = []
  let total = 0
  while (total < size) {
    const part: Buffer | null = socket.read()
    if (part === null) await once(socket, 'readable')
    else {
      parts.push(part)
      total += part.length
    }
  }
  return Buffer.concat(parts)
}

it('10,000 generated exchanges come back byte for byte', async () => {
  await using echo = await startEcho()
  await using world = await startWorld()
  const { socket } = await connectThrough(world.proxy, `127.0.0.1:${echo.port}`)
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 400 }), async (bytes) => {
      socket.write(bytes)
      expect((await read(socket, bytes.length)).equals(bytes)).toBe(true)
    }),
    { numRuns: 10_000 },
  )
  socket.destroy()
  const end = await world.event('tunnel-end')
  expect(end.bytesSent).toBe(end.bytesReceived)
  expect(end.bytesSent).toBeGreaterThan(10_000)
})

it('a large body goes through in both directions at once', async () => {
  await using echo = await startEcho()
  await using world = await startWorld()
  const { socket } = await connectThrough(world.proxy, `127.0.0.1:${echo.port}`)
  const bytes = Buffer.alloc(20 * 1024 * 1024, 'abcdefg')
  socket.end(bytes)
  const parts: Buffer[] = []
  for await (const part of socket) parts.push(part)
  expect(Buffer.concat(parts).equals(bytes)).toBe(true)
})

it.each([true, false])('the ClientHello may come in the packet of CONNECT (strict: %s)', async (strict) => {
  await using world = await startWorld({ strict })
  const socket = connectTcp(world.proxy.port, '127.0.0.1')
  const target = `${OTHER}:${world.upstream.port}`
  const tls = connectTls({
    socket: joinFirst(socket, `CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`),
    ca: world.upstreamCa.cert,
    servername: OTHER,
  })
  await once(tls, 'secureConnect')
  tls.write(`GET /x HTTP/1.1\r\nhost: ${target}\r\nconnection: close\r\n\r\n`)
  let answer = ''
  for await (const bytes of tls) answer += bytes
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  expect(world.events.map(({ type }) => type)).not.toContain('server-name-mismatch')
})

/** A stream over a socket whose first bytes follow a request in one packet, and whose answer is taken off. */
function joinFirst(socket: Socket, request: string) {
  let isFirst = true
  let answer = Buffer.alloc(0)
  let isOpen = false
  const duplex = new Duplex({
    read() {
      socket.resume()
    },
    write(bytes: Buffer, _encoding, callback) {
      socket.write(isFirst ? Buffer.concat([Buffer.from(request), bytes]) : bytes, callback)
      isFirst = false
    },
    final(callback) {
      socket.end(callback)
    },
  })
  socket.on('data', (bytes) => {
    if (isOpen) {
      duplex.push(bytes)
      return
    }
    answer = Buffer.concat([answer, bytes])
    const end = answer.indexOf('\r\n\r\n')
    if (end === -1) return
    isOpen = true
    if (answer.length > end + 4) duplex.push(answer.subarray(end + 4))
  })
  socket.on('end', () => duplex.push(null))
  return duplex
}

it('a client that names no host in TLS means the target', async () => {
  await using world = await startWorld()
  const ca = world.authority.certificate
  const tls = await tlsThrough(world.proxy, world.target, { ca, servername: '', insecure: true })
  tls.write(`GET /x HTTP/1.1\r\nhost: ${world.target}\r\nconnection: close\r\n\r\n`)
  let answer = ''
  for await (const bytes of tls) answer += bytes
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  expect(world.events.map(({ type }) => type)).not.toContain('server-name-mismatch')
})

describe('a TLS name that differs from the target', () => {
  const open = async (target: string, port: number, servername: string) => {
    const { socket } = await connectThrough({ port }, target)
    const tls = connectTls({ socket, servername, rejectUnauthorized: false })
    tls.on('error', () => {})
    return new Promise((resolve) => {
      tls.once('secureConnect', () => resolve('open'))
      tls.once('close', () => resolve('closed'))
    })
  }

  it.each([
    ['127.0.0.1', LISTED, true],
    [OTHER, LISTED, true],
    [OTHER, 'third.example', false],
  ])('to %s is reported for %s', async (host, name, listed) => {
    await using world = await startWorld()
    expect(await open(`${host}:${world.upstream.port}`, world.proxy.port, name)).toBe('open')
    expect(await world.event('server-name-mismatch')).toMatchObject({ host, serverName: name, listed, closed: false })
  })

  it('is closed before it goes out where the proxy is strict', async () => {
    await using world = await startWorld({ strict: true })
    expect(await open(`127.0.0.1:${world.upstream.port}`, world.proxy.port, LISTED)).toBe('closed')
    expect(await world.event('server-name-mismatch')).toMatchObject({ listed: true, closed: true })
    expect(await open(`127.0.0.1:${world.upstream.port}`, world.proxy.port, OTHER)).toBe('open')
    expect(await open(`${OTHER}:${world.upstream.port}`, world.proxy.port, OTHER)).toBe('open')
  })
})

it('other protocols than TLS pass a strict proxy', async () => {
  await using echo = await startEcho()
  await using world = await startWorld({ strict: true })
  const { socket } = await connectThrough(world.proxy, `127.0.0.1:${echo.port}`)
  socket.write('SSH-2.0-x\r\n')
  expect(String(await read(socket, 11))).toBe('SSH-2.0-x\r\n')
  socket.end()
  await once(socket, 'close')
})

it('each direction ends by itself', async () => {
  await using world = await startWorld()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.resume()
    // Answers only after the client has ended.
    socket.once('end', () => socket.end('late answer'))
  })
  const port = await listenOnFreePort(server)
  const { socket } = await connectThrough(world.proxy, `127.0.0.1:${port}`)
  socket.end('question')
  expect(String(await read(socket, 11))).toBe('late answer')
  server.close()
})

it('the end of either side, in good order or not, ends the other', async () => {
  for (const how of ['client-reset', 'host-reset', 'host-end', 'idle'] as const) {
    await using echo = await startEcho()
    await using world = await startWorld({ limits: { idleMs: how === 'idle' ? 200 : 60_000 } })
    const { socket } = await connectThrough(world.proxy, `127.0.0.1:${echo.port}`)
    socket.write('x')
    await read(socket, 1)
    const [host] = echo.sockets.open
    const closed = once(host as Socket, 'close')
    if (how === 'client-reset') socket.resetAndDestroy()
    else if (how === 'host-reset') host?.resetAndDestroy()
    else if (how === 'host-end') host?.destroy()
    socket.resume()
    if (how !== 'client-reset') {
      await once(socket, 'end').catch(() => {})
      socket.destroy()
    }
    await closed
    await world.event('tunnel-end')
    expect([how, world.proxy.counts.tunnels]).toEqual([how, 0])
  }
})
