import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { eventually, sourceArguments } from '@svc/test-kit'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { systemClock } from '../../src/clock.ts'
import { silentLogger } from '../../src/db/__fixtures__/places.ts'
import { type Network, openNetwork } from '../../src/p2p/network.ts'
import type { FoundService, NetworkOptions } from '../../src/p2p/options.ts'
import { createKey, formatToken, readToken } from '../../src/p2p/token.ts'
import { verifies } from '../spec/verifies.ts'

const PASSWORD_S = 9000
let member: ChildProcess
let token: string
let network: Network
let worker: FoundService
const gone: string[] = []

const base = {
  networkId: 'test',
  listen: { host: '127.0.0.1', port: 0 },
  peers: [],
  mdns: false,
  lookMs: 500,
  passwordMs: PASSWORD_S * 1000,
  announceMs: 200,
  offers: {},
  wants: ['worker'],
  clock: systemClock,
  logger: silentLogger,
} as const satisfies Partial<NetworkOptions>

beforeAll(async () => {
  const program = new URL('member.mjs', import.meta.url)
  member = spawn(
    process.execPath,
    [...sourceArguments(program), formatToken({ key: createKey(), peers: [] }), String(PASSWORD_S)],
    {
      stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    },
  )
  if (member.stdout === null) throw new Error('the member has no output')
  const [line] = (await once(createInterface({ input: member.stdout }), 'line')) as [string]
  token = line
  let onFound: (service: FoundService) => void = () => undefined
  const found = new Promise<FoundService>((resolve) => {
    onFound = resolve
  })
  const onService: NetworkOptions['onService'] = (service) => {
    onFound(service)
    return () => void gone.push(service.id)
  }
  network = await openNetwork({ ...base, token: readToken(token), name: 'front', onService })
  worker = await found
})
afterAll(async () => {
  await network.close()
  member.kill('SIGKILL')
})

const open = (): Socket => {
  const [host = '', port = ''] = worker.address.split(':')
  return connect({ host, port: Number(port), allowHalfOpen: true }).on('error', () => undefined)
}

/** Waits until the other side has closed a socket, whatever the reason is. */
const untilClosed = (socket: Socket): Promise<void> =>
  new Promise((resolve) => {
    if (socket.closed) resolve()
    else
      socket
        .resume()
        .once('end', () => resolve())
        .once('close', () => resolve())
  })

async function echo(socket: Socket, text: string): Promise<string> {
  socket.write(text)
  const [answer] = (await once(socket, 'data')) as [Buffer]
  return answer.toString()
}

verifies('flags:p2p:join', 'members of one token find each other', () => {
  expect(network.members()).toMatchObject([
    { name: 'worker', services: ['worker'], isOnline: true, tunnels: { worker: worker.address } },
  ])
  expect(readToken(network.token()).key).toBe(readToken(token).key)
})

it('carries many bytes both ways, and the end of one direction alone', async () => {
  const socket = open()
  const bytes = 4 * 1024 * 1024
  let received = 0
  socket.on('data', (piece: Buffer) => {
    received += piece.length
  })
  const ended = once(socket, 'end')
  socket.end(Buffer.alloc(bytes, 7))
  await ended
  expect(received).toBe(bytes)
  socket.destroy()
})

it('survives resets and a flood, and serves no more than its bound', async () => {
  for (let turn = 0; turn < 20; turn += 1) {
    const socket = open()
    await once(socket, 'connect')
    socket.write('x')
    socket.resetAndDestroy()
  }
  let answered = 0
  const onAnswer = (): void => {
    answered += 1
  }
  const sockets = Array.from({ length: 300 }, () => open().once('data', onAnswer))
  for (const socket of sockets) socket.write('x')
  await eventually(() => expect(answered).toBeGreaterThanOrEqual(100))
  member.send('count')
  const [{ count }] = (await once(member, 'message')) as [{ count: number }]
  expect(count).toBeLessThanOrEqual(128)
  for (const socket of sockets) socket.destroy()
  await eventually(async () => {
    const socket = open()
    const failed = untilClosed(socket).then(() => 'closed')
    expect(await Promise.race([echo(socket, 'still'), failed])).toBe('still')
    socket.destroy()
  })
})

it('takes no notice of bytes that are not of the network', async () => {
  const [, , host, , port] = readToken(token).peers[0]?.split('/') ?? []
  const strangers = Array.from({ length: 30 }, (_, index) =>
    connect({ host: host ?? '', port: Number(port) })
      .on('error', () => undefined)
      .resume()
      .on('connect', function onConnect(this: Socket) {
        this.write(Buffer.alloc(2000, index))
      }),
  )
  await Promise.all(strangers.map((one) => untilClosed(one)))
  const socket = open()
  expect(await echo(socket, 'there')).toBe('there')
  socket.destroy()
})

it.each([
  ['another token', { token: () => ({ key: createKey(), peers: readToken(token).peers }) }],
  ['another network id', { token: () => readToken(token), networkId: 'other' }],
  ['another period of the password', { token: () => readToken(token), passwordMs: 1_000_000_000 }],
])('refuses %s', async (_, { token: makeToken, ...other }) => {
  const failures: unknown[] = []
  const logger = { ...silentLogger, debug: ({ err }: { readonly err?: unknown }) => void failures.push(err) }
  const stranger = await openNetwork({ ...base, ...other, token: makeToken(), name: 'stranger', logger })
  await eventually(() => expect(failures.length).toBeGreaterThan(0))
  expect(stranger.members()).toEqual([])
  expect(network.members().map(({ name }) => name)).toEqual(['worker'])
  await stranger.close()
})

it('gives a port of a member that has gone back', async () => {
  const socket = open()
  expect(await echo(socket, 'here')).toBe('here')
  const closed = untilClosed(socket)
  member.kill('SIGKILL')
  await closed
  await untilClosed(open())
  expect(gone).toEqual([])
  await network.close()
  expect(gone).toEqual([worker.id])
})
