import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { createFakeClock, listenOnFreePort } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { watchPostgres } from './postgres-client.ts'

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
  const line = (): void => undefined
  const client = watchPostgres({
    url: `postgres://somebody@127.0.0.1:${port}/any`,
    clock: createFakeClock(),
    logger: { debug: line, info: line, warn: line, error: line },
  })
  const work = client.run(({ sql }) => sql`select 1`.execute())
  const failed = expect(work).rejects.toMatchObject({ code: 'CONNECTION_DESTROYED' })
  await asked
  await client.close(({ sql }) => sql.end({ timeout: 0 }))
  await failed
  for (const socket of sockets) socket.destroy()
  server.close()
})
