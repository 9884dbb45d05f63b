import { once } from 'node:events'
import { createServer, type LookupFunction, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { createTrust, createWayOut } from '@svc/http-client'
import { createDeferred, createTestCa, listenOnFreePort, trackSockets } from '@svc/test-kit'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDialer } from './dial.ts'

const CONNECT_MS = 15_000
const TIMED_OUT = { kind: 'timeout', code: 'upstream_timeout', details: { upstream: true, reason: 'connect' } }
const signal = new AbortController().signal

/** A peer that says nothing by itself. Its first client, and the first bytes of that one, are awaited. */
async function startSilent() {
  const client = createDeferred<Socket>()
  const spoke = createDeferred<void>()
  const server = createServer((socket) => {
    socket.once('data', () => spoke.resolve())
    client.resolve(socket)
  })
  const { close, open } = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { port, open, client: client.promise, spoke: spoke.promise, [Symbol.asyncDispose]: close }
}

/** A look-up that the test answers, in the end with one address. */
function createSlowLookup(address: string) {
  const answer = createDeferred<void>()
  const asked = createDeferred<void>()
  const lookup: LookupFunction = (_host, _options, callback) => {
    asked.resolve()
    void answer.promise.then(() => callback(null, [{ address, family: 4 }]))
  }
  return { lookup, asked: asked.promise, answer: () => answer.resolve() }
}

describe('a connection that is slow in every step', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const openDialer = (lookup: LookupFunction, proxy?: number) =>
    createDialer({
      lookup,
      trust: undefined,
      wayOut: proxy === undefined ? undefined : createWayOut(() => ({ https: `http://127.0.0.1:${proxy}` })),
      listeners: () => [],
      connectMs: CONNECT_MS,
    })

  /** Notes the end of a connection. */
  function watch(dialled: Promise<Socket>) {
    const outcome: unknown[] = []
    const done = dialled.then(
      (socket) => void outcome.push(socket.destroy()),
      (error: unknown) => void outcome.push(error),
    )
    return { outcome, done }
  }

  it.each(['check', 'dialTcp', 'dialTls'] as const)('%s: the look-up alone takes the limit', async (method) => {
    const slow = createSlowLookup('93.184.216.34')
    const dialer = openDialer(slow.lookup)
    const target = { host: 'far.example', port: 443 }
    const options = { signal, protocols: ['http/1.1'] }
    const dialled = method === 'check' ? dialer.check(target) : dialer[method](target, options)
    const failed = expect(dialled).rejects.toMatchObject(TIMED_OUT)
    await slow.asked
    await vi.advanceTimersByTimeAsync(CONNECT_MS)
    await failed
    expect(vi.getTimerCount()).toBe(0)
  })

  it.each(['dialTcp', 'dialTls'] as const)('%s: look-up and tunnel share one limit', async (method) => {
    await using proxy = await startSilent()
    const slow = createSlowLookup('93.184.216.34')
    const dialer = openDialer(slow.lookup, proxy.port)
    const { outcome, done } = watch(
      dialer[method]({ host: 'far.example', port: 443 }, { signal, protocols: ['http/1.1'] }),
    )
    await slow.asked
    await vi.advanceTimersByTimeAsync(CONNECT_MS - 5000)
    slow.answer()
    await proxy.spoke
    await vi.advanceTimersByTimeAsync(4999)
    expect(outcome).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await done
    expect(outcome).toMatchObject([TIMED_OUT])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('look-up, tunnel and TLS share one limit', async () => {
    await using proxy = await startSilent()
    const slow = createSlowLookup('93.184.216.34')
    const dialer = openDialer(slow.lookup, proxy.port)
    const { outcome, done } = watch(
      dialer.dialTls({ host: 'far.example', port: 443 }, { signal, protocols: ['http/1.1'] }),
    )
    await slow.asked
    await vi.advanceTimersByTimeAsync(5000)
    slow.answer()
    await proxy.spoke
    await vi.advanceTimersByTimeAsync(5000)
    const client = await proxy.client
    const hello = new Promise((resolve) => client.once('data', resolve))
    client.write('HTTP/1.1 200 OK\r\n\r\n')
    await hello
    await vi.advanceTimersByTimeAsync(4999)
    expect(outcome).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await done
    expect(outcome).toMatchObject([TIMED_OUT])
  })

  it('look-up and TLS share one limit where there is no other proxy', async () => {
    await using host = await startSilent()
    const slow = createSlowLookup('127.0.0.1')
    const dialer = openDialer(slow.lookup)
    const { outcome, done } = watch(
      dialer.dialTls({ host: 'far.example', port: host.port }, { signal, protocols: ['http/1.1'] }),
    )
    await slow.asked
    await vi.advanceTimersByTimeAsync(CONNECT_MS - 1)
    slow.answer()
    await host.spoke
    expect(outcome).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    await done
    expect(outcome).toMatchObject([TIMED_OUT])
  })

  it.each(['dialTcp', 'dialTls'] as const)('%s: ends when its caller leaves, in any step', async (method) => {
    await using proxy = await startSilent()
    const reason = new Error('the caller has left')
    for (const step of ['before', 'look-up', 'tunnel']) {
      const leaving = new AbortController()
      const slow = createSlowLookup('93.184.216.34')
      const dialer = openDialer(slow.lookup, proxy.port)
      if (step === 'before') leaving.abort(reason)
      const options = { signal: leaving.signal, protocols: ['http/1.1'] }
      const { outcome, done } = watch(dialer[method]({ host: 'far.example', port: 443 }, options))
      if (step === 'tunnel') {
        slow.answer()
        await proxy.spoke
      }
      leaving.abort(reason)
      await done
      expect([step, ...outcome]).toEqual([step, reason])
      expect(vi.getTimerCount()).toBe(0)
    }
  })

  it('the limit ends with the connection', async () => {
    await using host = await startSilent()
    const slow = createSlowLookup('127.0.0.1')
    slow.answer()
    const dialer = openDialer(slow.lookup)
    const socket = await dialer.dialTcp({ host: 'far.example', port: host.port }, { signal })
    expect(vi.getTimerCount()).toBe(0)
    socket.destroy()
  })
})

describe('TLS with a host', () => {
  const ca = createTestCa()

  /** A TLS server that notes the names and protocols that its clients ask for. */
  async function startHost(options: TlsOptions & { readonly hosts?: readonly [string, ...string[]] } = {}) {
    const { hosts = ['far.example'], ...more } = options
    const seen: { readonly name: string | false | null; readonly protocol: string | false | null }[] = []
    const server = createTlsServer({ ...ca.issue(hosts), ALPNProtocols: ['h2', 'http/1.1'], ...more }, (socket) => {
      seen.push({ name: socket.servername || false, protocol: socket.alpnProtocol })
      socket.on('error', () => {})
      socket.end('hello')
    })
    server.on('tlsClientError', () => {})
    const { close } = trackSockets(server)
    return { port: await listenOnFreePort(server), seen, [Symbol.asyncDispose]: close }
  }

  const lookup: LookupFunction = (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
  const openDialer = (trusted = ca.cert) =>
    createDialer({ lookup, trust: createTrust(trusted), wayOut: undefined, listeners: () => [], connectMs: CONNECT_MS })
  const FAILED = { kind: 'upstream_failed' }

  it.each([
    ['far.example', 'far.example', 'h2'],
    ['127.0.0.1', false, 'http/1.1'],
  ] as const)('%s is asked for by the name %s, and for the given protocols', async (host, name, protocol) => {
    await using server = await startHost({ hosts: [host] })
    const socket = await openDialer().dialTls({ host, port: server.port }, { signal, protocols: [protocol] })
    await once(socket.resume(), 'close')
    expect([socket.authorized, socket.alpnProtocol, server.seen]).toEqual([true, protocol, [{ name, protocol }]])
  })

  it('a certificate of another host, or of an authority that is not trusted, is refused', async () => {
    await using server = await startHost({ hosts: ['other.example'] })
    for (const [host, trusted] of [
      ['far.example', ca.cert],
      ['127.0.0.1', ca.cert],
      ['other.example', createTestCa().cert],
    ] as const) {
      const dialled = openDialer(trusted).dialTls({ host, port: server.port }, { signal, protocols: ['h2'] })
      await expect(dialled).rejects.toMatchObject(FAILED)
    }
  })

  it('is version 1.2 or later', async () => {
    await using old = await startHost({ minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' })
    const dialled = openDialer().dialTls({ host: 'far.example', port: old.port }, { signal, protocols: [] })
    await expect(dialled).rejects.toMatchObject(FAILED)
    await using usual = await startHost({ maxVersion: 'TLSv1.2' })
    const socket = await openDialer().dialTls({ host: 'far.example', port: usual.port }, { signal, protocols: [] })
    expect(socket.getProtocol()).toBe('TLSv1.2')
    socket.destroy()
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'of %s goes on with the session of the same host and port',
    async (version) => {
      await using server = await startHost({ maxVersion: version, hosts: ['far.example', 'near.example'] })
      await using other = await startHost({ maxVersion: version })
      const dialer = openDialer()
      const open = async (host: string, { port }: { readonly port: number }) => {
        const socket = await dialer.dialTls({ host, port }, { signal, protocols: ['http/1.1'] })
        const isReused = socket.isSessionReused()
        // A session may come after the first bytes.
        await once(socket.resume(), 'close')
        return isReused
      }
      expect(await open('far.example', server)).toBe(false)
      expect(await open('far.example', server)).toBe(true)
      expect(await open('near.example', server)).toBe(false)
      expect(await open('far.example', other)).toBe(false)
      expect(await open('far.example', server)).toBe(true)
    },
  )
})
