import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startTestServer, type TestServer } from '../../test/support/server.ts'
import { grantConnections, readDescriptorLimit } from './connection-limit.ts'

const MAX = 20
const FLAGS = [`--max-connections=${MAX}`]

/** Opens connections that send something at once. */
async function openMany(server: TestServer, count: number, sent: string) {
  const { hostname, port } = new URL(server.url)
  let closed = 0
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), hostname)
      socket
        .on('error', () => undefined)
        .on('close', () => {
          closed += 1
        })
      onTestFinished(() => void socket.destroy())
      await new Promise((resolve) => socket.resume().once('connect', () => socket.write(sent, resolve)))
      return socket
    }),
  )
  return { sockets, closed: () => closed }
}

const toStatus = async (server: TestServer, path: string): Promise<number> => (await server.call(path)).status

describe('--max-connections', () => {
  it.each([
    ['never said anything', ''],
    ['say only half of a head', 'GET /version HTTP/1.1\r\nHo'],
    [
      'are kept for another request',
      'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}',
    ],
    ['are kept for another request by Node', 'GET /version HTTP/1.1\r\nHost: localhost\r\n\r\n'],
  ])('connections that %s make room for others', async (_, sent) => {
    await using server = await startTestServer({ flags: FLAGS })
    // The first request loads what all of them need, and connections are busy meanwhile.
    for (const method of ['GET', 'POST']) await server.call('/v1/chat/completions', { method })
    const idle = await openMany(server, 3 * MAX, sent)
    for (let time = 0; time < MAX; time += 1) expect(await toStatus(server, '/version')).toBe(200)
    expect(3 * MAX - idle.closed()).toBeLessThanOrEqual(MAX + 32)
  })

  it.each([
    ['the server reads', 'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n{'],
    [
      'Node reads',
      'POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n',
    ],
  ])('health is told while all connections that %s are in use', async (_, sent) => {
    await using server = await startTestServer({ flags: FLAGS })
    const busy = await openMany(server, MAX, sent)
    // Waiting connections take no place from health checks.
    const waiting = await openMany(server, 3 * MAX, '')
    for (let time = 0; time < 2 * MAX; time += 1) {
      expect(await toStatus(server, '/healthz')).toBe(200)
      const refused = await server.call('/version')
      expect([refused.status, refused.headers['retry-after'], refused.headers.connection]).toEqual([503, '1', 'close'])
      expect(refused.json()).toMatchObject({ error: { code: 503, message: expect.stringContaining('connections') } })
    }
    expect(busy.closed()).toBe(0)
    expect(waiting.closed()).toBeGreaterThan(0)
    const ended = new Promise((resolve) => busy.sockets[0]?.once('close', resolve))
    busy.sockets[0]?.destroy()
    await ended
    while ((await toStatus(server, '/version')) !== 200);
  })
})

describe('grantConnections', () => {
  it.each([
    [0, 1024, 448, false],
    [0, 100, 16, false],
    [0, undefined, 65_536, false],
    [100, 1024, 100, false],
    [5000, 1024, 896, true],
    [5000, undefined, 5000, false],
  ])('%i asked, %s open files allowed: %i', (asked, descriptors, max, isLess) => {
    expect(grantConnections(asked, descriptors)).toEqual({ max, isLess })
  })

  it('stays below what the system allows this process', () => {
    const limit = readDescriptorLimit() ?? Number.POSITIVE_INFINITY
    expect(limit).toBeGreaterThan(100)
    expect(grantConnections(0, limit).max).toBeLessThan(limit)
    expect(grantConnections(1_000_000, 1000).max).toBeLessThan(1000)
  })
})
