import { createServer as createHttp2Server } from 'node:http2'
import { createServer, type Socket } from 'node:net'
import { createBackendClient } from '@svc/backend-client'
import { writeMockLauncher } from '@svc/backend-mock/script'
import { SvcError } from '@svc/errors'
import { createFakeClock, patienceMs, type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { createWatchedRing } from './__fixtures__/watched-ring.ts'
import { createTcpEndpoint } from './endpoint.ts'
import { findListenerOwner } from './listener-owner.ts'
import { type BackendProcess, startProcess } from './process.ts'
import { describeExit, waitUntilReady } from './readiness.ts'

const never = new AbortController().signal

/** Starts a mock that requires no token, and waits for its answer. */
async function startMock(dir: TempDir): Promise<{ readonly child: BackendProcess; readonly port: number }> {
  const ring = createWatchedRing()
  const { command, args } = writeMockLauncher({ folder: dir.path })
  const child = await startProcess({
    name: 'mock',
    command,
    args: [...args, '--addr', '127.0.0.1:0'],
    cwd: dir.path,
    env: {},
    ring,
    clock: systemClock,
  })
  const address = (await ring.waitFor(/^listening on/)).split(' ')[2] ?? ''
  return { child, port: Number(address.split(':')[1]) }
}

function startSleeper(dir: TempDir): Promise<BackendProcess> {
  return startProcess({
    name: 'sleeper',
    command: process.execPath,
    args: ['-e', 'setInterval(() => {}, 1000)'],
    cwd: dir.path,
    env: {},
    ring: createWatchedRing(),
    clock: systemClock,
  })
}

describe('waitUntilReady', () => {
  it.runIf(process.platform === 'linux')('accepts the process itself on its port and no other (RPC-1)', async () => {
    await using dir = await tempDir()
    const { child, port } = await startMock(dir)
    const sleeper = await startSleeper(dir)
    const client = createBackendClient({ address: `127.0.0.1:${port}` })
    const options = { client, port, limitMs: 20_000, clock: systemClock, signal: never }
    await waitUntilReady({ ...options, process: child })
    expect(await findListenerOwner(port, child.pid)).toBe('ours')
    await expect(waitUntilReady({ ...options, process: sleeper })).rejects.toMatchObject({
      code: 'address_taken',
      message: 'grpc service not ready: its port was taken by another process',
    })
    client.close()
    for (const process of [child, sleeper]) process.killNow()
    await Promise.all([child.exited, sleeper.exited])
  })

  it.runIf(process.platform === 'linux')('sends its token to no other process on the port (RPC-1)', async () => {
    await using dir = await tempDir()
    const sleeper = await startSleeper(dir)
    const heard: unknown[] = []
    const squatter = createHttp2Server().on('stream', (stream, headers) => {
      heard.push(headers.authorization)
      stream.respond({ ':status': 503 }, { endStream: true })
    })
    await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve))
    const bound = squatter.address()
    const port = typeof bound === 'object' ? bound?.port : undefined
    const client = createBackendClient({ address: `127.0.0.1:${port}`, token: 'token-of-workers' })
    const options = { client, port, limitMs: patienceMs(), clock: systemClock, signal: never }
    await expect(waitUntilReady({ ...options, process: sleeper })).rejects.toMatchObject({ code: 'address_taken' })
    expect(heard).toEqual([])
    client.close()
    sleeper.killNow()
    await sleeper.exited
    await new Promise((resolve) => squatter.close(resolve))
  })

  it('gives up at its limit when something listens that does not answer', async () => {
    const sockets: Socket[] = []
    const server = createServer((socket) => sockets.push(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const client = createBackendClient({ address: `127.0.0.1:${port}` })
    const clock = createFakeClock()
    const connected = new Promise((resolve) => server.once('connection', resolve))
    const waiting = waitUntilReady({ client, limitMs: 40_000, clock, signal: never })
    const refused = expect(waiting).rejects.toMatchObject({
      kind: 'internal',
      code: 'backend_not_ready',
      message: 'grpc service not ready',
    })
    await connected
    await clock.advance(40_000)
    await refused
    client.close()
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })

  it('checks every 25 ms while nothing listens, up to its limit', async () => {
    const { address } = await createTcpEndpoint()
    const client = createBackendClient({ address })
    const clock = createFakeClock()
    const waiting = waitUntilReady({ client, limitMs: 60, clock, signal: never })
    const refused = expect(waiting).rejects.toMatchObject({ code: 'backend_not_ready' })
    for (const elapsed of [25, 50]) {
      await clock.waitForSleepers(2)
      await clock.advance(25)
      expect(clock.monotonic()).toBe(elapsed)
    }
    await clock.waitForSleepers(2)
    await clock.advance(10)
    await refused
    expect(clock.sleepers).toBe(0)
    client.close()
  })

  it('ends with the reason of its signal', async () => {
    const { address } = await createTcpEndpoint()
    const client = createBackendClient({ address })
    const reason = new SvcError('cancelled', 'the load was broken off')
    const waiting = waitUntilReady({ client, limitMs: 1000, clock: systemClock, signal: AbortSignal.abort(reason) })
    await expect(waiting).rejects.toBe(reason)
    client.close()
  })
})

describe('findListenerOwner', () => {
  it('is unknown for ports without a listener and without /proc', async () => {
    const { port = 0 } = await createTcpEndpoint()
    expect(await findListenerOwner(port, process.pid)).toBe('unknown')
    expect(await findListenerOwner(port, process.pid, '/nowhere')).toBe('unknown')
  })
})

describe('describeExit', () => {
  it('tells code or signal and the last line, without folders', () => {
    expect(describeExit({ code: 1, signal: null, lastLines: ['a', 'cannot read /srv/m/x.gguf'] })).toBe(
      'backend process exited with code 1: cannot read x.gguf',
    )
    expect(describeExit({ code: null, signal: 'SIGKILL', lastLines: [] })).toBe('backend process was ended by SIGKILL')
  })
})
