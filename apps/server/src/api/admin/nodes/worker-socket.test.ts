import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { type WebSocket, WebSocketServer } from 'ws'
import { readWorkerSocket } from './worker-socket.ts'

const MIB = 2 ** 20

/** A worker that sends so many messages of 4 MiB to each client. */
async function serve(count: number) {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false })
  await once(server, 'listening')
  const clients: WebSocket[] = []
  server.on('connection', (client) => {
    clients.push(client)
    for (let index = 0; index < count; index += 1) client.send(String(index % 10).repeat(4 * MIB))
    client.close(1000)
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  const read = () => readWorkerSocket({ url, authorization: 'Bearer x' }, new AbortController().signal)
  return { server, clients, read }
}

it('leaves the output of a worker in the connection while nobody takes it, by its bytes', async () => {
  const { server, clients, read } = await serve(12)
  try {
    const slow = read()
    const found = [(await slow.next()).value]
    // Another reader takes everything meanwhile: the slow one had the same time.
    for await (const _ of read());
    expect(clients[0]?.bufferedAmount).toBeGreaterThan(12 * MIB)
    for await (const text of slow) found.push(text)
    expect(found.map((text) => text?.at(-1))).toEqual([...'012345678901'])
  } finally {
    server.close()
  }
})
