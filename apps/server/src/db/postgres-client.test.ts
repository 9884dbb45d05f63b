import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { createFakeClock, listenOnFreePort, startPostgres } from '@svc/test-kit'
import { afterAll, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { silentLogger } from './__fixtures__/places.ts'
import { watchPostgres } from './postgres-client.ts'

const running = await startPostgres()
afterAll(() => running[Symbol.asyncDispose]())

/** `AuthenticationOk`, then `ReadyForQuery`. */
const WELCOME = Buffer.from('520000000800000000' + '5a0000000549', 'hex')

it('ends while a new connection waits for its first answer, and fails no more than the work on it', async () => {
  const sockets = new Set<Socket>()
  // The driver asks for the types of arrays, before its first query. Nothing answers.
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('data', () => {
      socket.write(WELCOME)
      socket.once('data', () => server.emit('asked'))
    })
  })
  const port = await listenOnFreePort(server)
  const asked = once(server, 'asked')
  const client = watchPostgres({
    url: `postgres://somebody@127.0.0.1:${port}/any`,
    clock: createFakeClock(),
    logger: silentLogger,
  })
  const work = client.run(({ sql }) => sql`select 1`.execute())
  const failed = expect(work).rejects.toMatchObject({ code: 'CONNECTION_DESTROYED' })
  await asked
  await client.close(({ sql }) => sql.end({ timeout: 0 }))
  await failed
  for (const socket of sockets) socket.destroy()
  server.close()
})

// The driver asks first for the types of parameters. Its second message, with their values, is never sent here.
it.skipIf(!running.available)('gives up a statement that the server has read in part', async () => {
  if (!running.available) throw new Error(running.reason)
  const url = new URL(running.url)
  const target = Number(url.port)
  const begun = systemClock.monotonic()
  const sockets = new Set<Socket>()
  const proxy = createServer((from) => {
    const to = connect(target, '127.0.0.1')
    let isLost = false
    from.on('data', (bytes) => {
      isLost ||= bytes.includes('half a statement')
      to.write(bytes)
    })
    to.on('data', (bytes) => {
      if (!isLost) from.write(bytes)
    })
    for (const socket of [from, to]) sockets.add(socket.on('error', () => undefined))
    from.on('close', () => to.destroy())
  })
  url.port = String(await listenOnFreePort(proxy))
  // The limit of every statement, 35 s, never passes.
  const clock = { ...systemClock, monotonic: () => Math.min(systemClock.monotonic() - begun, 10_000) }
  const client = watchPostgres({ url: url.href, clock, logger: silentLogger })
  await expect(
    client.run(({ sql }) => sql`SELECT ${'half a statement'.length}::int AS "half a statement"`.execute()),
  ).rejects.toMatchObject({ code: 'database_unavailable' })
  expect(await client.run(({ sql }) => sql`SELECT ${1}::int AS one`)).toEqual([{ one: 1 }])
  await client.close(({ sql }) => sql.end({ timeout: 0 }))
  for (const socket of sockets) socket.destroy()
  proxy.close()
})
