import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { endConnection } from './end-connection.ts'

/** More than the buffers of the system take of a client that does not read. */
const LARGE = 'x'.repeat(20_000_000)

/** A connection with a client that neither reads nor closes. */
async function open() {
  const server = createServer({ allowHalfOpen: true }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const accepted = once(server, 'connection')
  const client = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true })
  client.on('error', () => undefined).pause()
  const [socket] = (await accepted) as [Socket]
  socket.on('error', () => undefined)
  return {
    client,
    socket,
    [Symbol.dispose]() {
      client.destroy()
      server.close()
    },
  }
}

it.concurrent.each<readonly [name: string, prepare: (client: Socket, socket: Socket) => unknown, last: string]>([
  ['does nothing', () => undefined, 'bye'],
  ['is sent nothing more', () => undefined, ''],
  ['does not take the last bytes', () => undefined, LARGE],
  ['does not take earlier bytes', (_, socket) => socket.write(LARGE), 'bye'],
  ['sends on', (client) => client.write(LARGE), 'bye'],
  [
    'has ended its half',
    async (client, socket) => {
      client.end()
      await once(socket.resume(), 'end')
    },
    'bye',
  ],
  [
    'has ended its half and does not take the last bytes',
    async (client, socket) => {
      client.end()
      await once(socket.resume(), 'end')
    },
    LARGE,
  ],
])('a client that %s is given back', async (_, prepare, last) => {
  using peers = await open()
  const { client, socket } = peers
  await prepare(client, socket)
  const closed = once(socket, 'close')
  endConnection(socket, last)
  await closed
  expect(socket.destroyed).toBe(true)
})
