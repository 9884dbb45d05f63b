import { createServer } from 'node:net'
import { createDeferred, eventually, listenOnFreePort, trackSockets } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { type Connection, toOrigin } from './connection.ts'
import { ConnectionPool, type Waiter } from './pool.ts'

const LIMITS = { maxConnections: 4, maxPerOrigin: 4, maxWaiting: 4, idleMs: 60_000, connectMs: 10_000 }

async function startWorld() {
  const server = createServer((socket) => socket.resume())
  const sockets = trackSockets(server)
  const origin = toOrigin(new URL(`http://127.0.0.1:${await listenOnFreePort(server)}`))
  const pool = new ConnectionPool(LIMITS, { readBuffer: Buffer.alloc(1024), sessions: new Map() })
  const acquire = (): Promise<Connection> => {
    const got = createDeferred<Connection>()
    const waiter: Waiter = { onConnection: got.resolve, onNoConnection: got.reject }
    pool.acquire(origin, waiter, false)
    return got.promise
  }
  const release = (connection: Connection, keepAliveSeconds?: number) =>
    pool.release(connection, { now: performance.now(), keepAliveSeconds })
  return { pool, acquire, release, [Symbol.asyncDispose]: sockets.close }
}

it('keeps a connection that is given back, for the next request', async () => {
  await using world = await startWorld()
  const connection = await world.acquire()
  world.release(connection)
  expect(await world.acquire()).toBe(connection)
  connection.destroy()
})

it('closes a connection that is given back after its end, and opens no other', async () => {
  await using world = await startWorld()
  const [one, other] = [await world.acquire(), await world.acquire()]
  world.pool.close()
  expect([one.socket.destroyed, other.socket.destroyed]).toEqual([false, false])
  world.release(one)
  expect([one.socket.destroyed, other.socket.destroyed]).toEqual([true, false])
  world.release(other)
  await eventually(() => expect(world.pool.counts).toEqual({ open: 0, waiting: 0 }))
})

it.each([0, 0.5, 1])('closes a connection that its server promises to keep for %s s', async (seconds) => {
  await using world = await startWorld()
  const connection = await world.acquire()
  world.release(connection, seconds)
  await eventually(() => expect(world.pool.counts.open).toBe(0))
})
