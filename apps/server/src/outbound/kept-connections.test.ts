import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { eventually, trackSockets } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { openClient } from './__fixtures__/test-client.ts'
import { createKeptConnections } from './kept-connections.ts'

/** A server on all addresses of this machine, with the address of each connection. */
async function startServer() {
  const places: (string | undefined)[] = []
  const server = createServer((request, response) => request.resume().on('end', () => response.end('fine')))
  server.on('connection', ({ localAddress }) => places.push(localAddress))
  const sockets = trackSockets(server)
  await once(server.listen(0, '0.0.0.0'), 'listening')
  return { places, server, port: (server.address() as AddressInfo).port, [Symbol.asyncDispose]: sockets.close }
}

const countOpen = (server: ReturnType<typeof createServer>) =>
  new Promise<number>((resolve, reject) =>
    server.getConnections((error, count) => (error ? reject(error) : resolve(count))),
  )

it('requests use a connection again as long as its address is one that was checked for them', async () => {
  await using upstream = await startServer()
  let answer: readonly string[] = ['127.0.0.1']
  const allow = { cidrs: ['127.0.0.0/8'], hosts: [] }
  const { client, request } = openClient({ allow, resolve: async () => answer })
  const connections = createKeptConnections()
  const ask = async (): Promise<string> => {
    const options = { ...request, method: 'POST', body: Buffer.from('x'), trust: 'public', connections } as const
    await using reply = await client.fetch(`http://tools.example:${upstream.port}/`, options)
    return String(await reply.bytes())
  }
  for (let count = 0; count < 3; count += 1) expect(await ask()).toBe('fine')
  expect(upstream.places).toEqual(['127.0.0.1'])
  answer = ['127.0.0.2']
  for (let count = 0; count < 2; count += 1) expect(await ask()).toBe('fine')
  expect(upstream.places).toEqual(['127.0.0.1', '127.0.0.2'])
  await eventually(async () => expect(await countOpen(upstream.server)).toBe(1))
  // The name leads elsewhere now: the open connection does not help it.
  answer = ['10.0.0.1']
  await expect(ask()).rejects.toMatchObject({ code: 'url_not_allowed' })
  answer = ['127.0.0.2']
  expect(await ask()).toBe('fine')
  connections.close()
  await eventually(async () => expect(await countOpen(upstream.server)).toBe(0))
  expect(await ask()).toBe('fine')
  await eventually(async () => expect(await countOpen(upstream.server)).toBe(0))
  expect(upstream.places).toHaveLength(3)
})

it('a connection is not used again after a reply that was not read to its end', async () => {
  await using upstream = await startServer()
  const { client, request } = openClient()
  const connections = createKeptConnections()
  const url = `http://127.0.0.1:${upstream.port}/`
  for (let count = 0; count < 2; count += 1) {
    const reply = await client.fetch(url, { ...request, connections })
    await reply.close()
  }
  expect(upstream.places).toHaveLength(2)
  connections.close()
})
