import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { Server, Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openNetwork } from '../../src/p2p/network.ts'
import { openNode, type PeerNode } from '../../src/p2p/node.ts'
import { readToken } from '../../src/p2p/token.ts'
import { openPair, type Pair, placeOf, QUICK, startServer } from './pair.ts'

/** More than the buffers of all sockets on the way hold. */
const LONG = randomBytes(12 * 1024 * 1024)
let service: Server
let serve: (socket: Socket) => void
/** The service is at another address than a server of this machine usually is. */
const HOST = '127.0.0.2'
let pair: Pair

beforeAll(async () => {
  service = await startServer((socket) => serve(socket), HOST)
  pair = await openPair(() => placeOf(service))
})
afterAll(async () => {
  await pair.close()
  service.close()
})

const hash = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Reads a socket to its end, a little at a time. */
async function readSlowly(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = []
  for await (const piece of socket as AsyncIterable<Buffer>) {
    pieces.push(piece)
    for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  }
  return Buffer.concat(pieces)
}

it('carries a long reply to a client that has ended its side and reads slowly', async () => {
  serve = (socket) => void socket.resume().once('end', () => socket.end(LONG))
  const client = pair.open()
  client.end('question')
  const reply = await readSlowly(client)
  expect([reply.length, hash(reply)]).toEqual([LONG.length, hash(LONG)])
})

it('carries a long request to a service that has ended its side and reads slowly', async () => {
  let received: Promise<Buffer> | undefined
  serve = (socket) => {
    socket.end('done')
    received = readSlowly(socket)
  }
  const client = pair.open()
  client.write('begin')
  const [said] = (await once(client, 'data')) as [Buffer]
  expect(said.toString()).toBe('done')
  await once(client.resume(), 'end')
  client.end(LONG)
  const request = (await received) ?? Buffer.alloc(0)
  expect(request.length).toBe(LONG.length + 'begin'.length)
  expect(hash(request.subarray('begin'.length))).toBe(hash(LONG))
})

it('passes an end on that comes without any byte', async () => {
  serve = (socket) => void socket.resume().once('end', () => socket.end('bye'))
  const client = pair.open()
  client.end()
  expect((await readSlowly(client)).toString()).toBe('bye')
})

it('passes a reset on as one, so that nobody takes a part for the whole', async () => {
  serve = (socket) => {
    socket.write(LONG.subarray(0, 1000))
    socket.once('data', () => socket.resetAndDestroy())
  }
  const client = pair.open()
  await once(client, 'data')
  client.write('cut')
  const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException]
  expect(error.code).toBe('ECONNRESET')
})

it('finds a member although addresses before it are silent', async () => {
  const silent = await startServer((socket) => void socket.resume(), '0.0.0.0')
  const { port } = placeOf(silent)
  const peers = Array.from({ length: 7 }, (_, index) => `/ip4/127.0.0.${index + 2}/tcp/${port}`)
  const { key, peers: real } = readToken(pair.far.token())
  const late = await openNetwork({ ...QUICK, name: 'late', token: { key, peers }, peers: real })
  // One after another they would take 35 s.
  await eventually(() => expect(late.members().map(({ name }) => name)).toContain('far'))
  await eventually(() => expect(pair.far.members().map(({ name }) => name)).toContain('late'))
  await late.close()
  silent.close()
})

it('closes its connections where it cannot serve them', async () => {
  let opened: PeerNode | undefined
  const failing = openNetwork({ ...QUICK, offers: { worker: () => undefined } }, async (options) => {
    opened = await openNode(options)
    return { ...opened, handle: () => Promise.reject(new Error('no room')) }
  })
  await expect(failing).rejects.toThrow('no room')
  expect(opened?.addresses()).toEqual([])
})
