import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createLastReply, type LastReplyOptions } from './last-reply.ts'

/** A connection with a last reply on it; the client does not read yet. */
async function start(options: LastReplyOptions = {}) {
  const server = createServer({ allowHalfOpen: true })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const accepted = once(server, 'connection')
  const client = connect({ port: typeof address === 'object' ? (address?.port ?? 0) : 0, allowHalfOpen: true })
  const [socket] = (await accepted) as [Socket]
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  const reply = createLastReply(socket, options)
  const events: string[] = []
  for (const event of ['finish', 'close'] as const) reply.on(event, () => events.push(event))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  return { client, socket, reply, events, closed }
}

async function readAll(client: Socket): Promise<string> {
  let text = ''
  for await (const chunk of client) text += String(chunk)
  return text
}

it('reaches a client that still sends, and ends the connection', async () => {
  const { client, reply, events, closed } = await start()
  client.write('x'.repeat(100_000))
  reply.setHeader('X-A', 'b').writeHead(404, { 'Content-Length': 2 })
  reply.end('no')
  expect(await readAll(client)).toMatch(
    /^HTTP\/1\.1 404 Not Found\r\nContent-Length: 2\r\nX-A: b\r\nDate: .*\r\nConnection: close\r\n\r\nno$/,
  )
  client.end()
  await closed
  expect(events).toEqual(['finish', 'close'])
})

it('has no body where the request was HEAD', async () => {
  const { client, reply } = await start({ method: 'HEAD' })
  reply.writeHead(200, { 'Content-Length': 2 }).end('no')
  expect(await readAll(client)).toMatch(/\r\n\r\n$/)
})

it('tells when the client has caught up', async () => {
  const { client, reply } = await start()
  const drained = once(reply, 'drain')
  while (reply.write('x'.repeat(65_536)));
  const read = readAll(client)
  await drained
  reply.end()
  expect((await read).endsWith('\r\n0\r\n\r\n')).toBe(true)
})

it('REL-3: is cut off from a client that takes nothing of it', async () => {
  const { reply, events, closed } = await start({ unreadMs: 50 })
  reply.end('x'.repeat(20_000_000))
  await closed
  expect(events).toEqual(['close'])
})

it('closes with its connection where it is never written', async () => {
  const { client, socket, events, closed } = await start()
  client.destroy()
  socket.resume().once('end', () => socket.end())
  await closed
  expect(events).toEqual(['close'])
})

it('closes when it is cut', async () => {
  const { reply, events, closed } = await start()
  reply.write('x')
  reply.destroy()
  await closed
  expect(events).toEqual(['close'])
})
