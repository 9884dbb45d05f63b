import { createDeferred, eventually, type RunningNats, startNats } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { openMessenger, settle } from './__fixtures__/open-messenger.ts'
import { MAX_PAYLOAD } from './payload.ts'

const nats = await startNats()
afterAll(() => nats[Symbol.asyncDispose]())
const server = nats as RunningNats
const never = new AbortController().signal
const soon = { signal: never, timeoutMs: 30_000 }

it('says why the messenger was not tried', (context) => {
  if (!nats.available) context.skip(nats.reason)
})

describe.skipIf(!nats.available)('a messenger over NATS', () => {
  it('publishes to all listeners, and to one of each queue', async () => {
    await using one = await openMessenger(server)
    await using two = await openMessenger(server)
    const heard: string[] = []
    one.subscribe('news.*', (payload, subject) => heard.push(`one ${subject} ${JSON.stringify(payload)}`))
    one.subscribe('news.>', () => {
      throw new Error('broken')
    })
    two.subscribe('news.a', () => heard.push('two'))
    for (const member of [one, two]) member.subscribe('news.a', () => heard.push('queue'), { queue: 'workers' })
    await settle(one)
    await settle(two)
    one.publish('news.a', { n: 1 })
    await eventually(() => expect([...heard].sort()).toEqual(['one news.a {"n":1}', 'queue', 'two']))
    expect(one.lines).toEqual(['a listener of the bus failed: Error: broken'])
  })

  it('asks and answers; a fault gives no reply, and an empty one is undefined', async () => {
    await using one = await openMessenger(server)
    await using two = await openMessenger(server)
    two.serve('sum', async (payload) => (payload as readonly number[]).reduce((sum, each) => sum + each, 0))
    two.serve('nothing', async () => undefined)
    two.serve('fault', () => Promise.reject(new Error('it broke')))
    two.serve('long', async () => 'x'.repeat(MAX_PAYLOAD))
    await settle(two)
    expect(await one.request('sum', [1, 2, 3], soon)).toBe(6)
    expect(await one.request('nothing', {}, soon)).toBeUndefined()
    await expect(one.request('fault', {}, { signal: never, timeoutMs: 50 })).rejects.toMatchObject({
      code: 'bus_timeout',
    })
    await expect(one.request('long', {}, { signal: never, timeoutMs: 50 })).rejects.toMatchObject({ kind: 'timeout' })
    await eventually(() => expect(two.lines).toHaveLength(2))
    expect(two.lines[0]).toContain('it broke')
  })

  it('fails at once where nobody answers, when the signal aborts and when the request is too long', async () => {
    await using one = await openMessenger(server)
    await expect(one.request('nobody', {}, soon)).rejects.toMatchObject({ kind: 'unavailable', code: 'no_responders' })
    one.serve('slow', () => createDeferred<unknown>().promise)
    await settle(one)
    const left = new AbortController()
    const asked = one.request('slow', {}, { signal: left.signal, timeoutMs: 30_000 })
    left.abort(new Error('gone'))
    await expect(asked).rejects.toThrow('gone')
    await expect(one.request('slow', 'x'.repeat(MAX_PAYLOAD), soon)).rejects.toMatchObject({ code: 'bus_too_large' })
    one.publish('slow', 'x'.repeat(MAX_PAYLOAD))
    expect(one.lines).toEqual(['a message is too long for the bus'])
  })

  it('does not take what is no JSON', async () => {
    await using one = await openMessenger(server)
    const { connect, jwtAuthenticator } = await import('@nats-io/transport-node')
    const seed = new TextEncoder().encode(server.service.seed)
    const raw = await connect({ servers: server.url, authenticator: jwtAuthenticator(server.service.jwt, seed) })
    const heard: unknown[] = []
    one.subscribe('raw', (payload) => heard.push(payload))
    await settle(one)
    for (const payload of ['{', new Uint8Array([0xff, 0xfe]), 'x'.repeat(MAX_PAYLOAD + 1), '"good"']) {
      raw.publish('raw', payload)
    }
    await eventually(() => expect(heard).toEqual(['good']))
    expect(one.lines).toHaveLength(1)
    raw.subscribe('odd', { callback: (_, message) => void message.respond('{') })
    await raw.flush()
    await expect(one.request('odd', {}, soon)).rejects.toMatchObject({ code: 'bus_reply_invalid' })
    await raw.close()
  })

  it('drops messages while the bus is away, and goes on when it is back', async () => {
    await using own = await startNats()
    if (!own.available) throw new Error(own.reason)
    await using one = await openMessenger(own)
    await using two = await openMessenger(own)
    const states: boolean[] = []
    const heard: unknown[] = []
    one.onConnection((isConnected) => states.push(isConnected))
    two.subscribe('news', (payload) => heard.push(payload))
    two.serve('list', async () => [])
    await settle(two)
    await own.kill()
    await eventually(() => expect([one.isConnected, two.isConnected]).toEqual([false, false]))
    one.publish('news', 'lost')
    await expect(one.request('list', {}, soon)).rejects.toMatchObject({ code: 'bus_disconnected' })
    await own.resume()
    await eventually(() => expect([one.isConnected, two.isConnected]).toEqual([true, true]))
    await settle(two)
    one.publish('news', 'new')
    expect(await one.request('list', {}, soon)).toEqual([])
    await eventually(() => expect(heard).toEqual(['new']))
    expect(states).toEqual([false, true])
  })

  it('starts without the bus, and finds it later', async () => {
    await using own = await startNats()
    if (!own.available) throw new Error(own.reason)
    await own.halt()
    await using one = await openMessenger(own, { firstConnectionMs: 1 })
    expect(one.isConnected).toBe(false)
    one.serve('list', async () => [])
    await own.resume()
    await eventually(() => expect(one.isConnected).toBe(true))
    await settle(one)
    expect(await one.request('list', {}, soon)).toEqual([])
  })

  it('closes while it connects, and aborts what it answers', async () => {
    const lost = await openMessenger({ url: 'nats://127.0.0.1:9', service: server.service }, { firstConnectionMs: 1 })
    await lost.close()
    const one = await openMessenger(server)
    await using two = await openMessenger(server)
    const { promise: started, resolve: start } = createDeferred<AbortSignal>()
    one.serve('work', async (_, { signal }) => {
      start(signal)
      await new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    })
    await settle(one)
    const asked = two.request('work', {}, { signal: never, timeoutMs: 500 }).catch((error: unknown) => error)
    const signal = await started
    await one.close()
    expect([signal.aborted, one.isConnected, one.lines]).toEqual([true, false, []])
    expect(await asked).toMatchObject({ code: 'bus_timeout' })
    await expect(one.request('work', {}, soon)).rejects.toMatchObject({ code: 'bus_disconnected' })
  })

  it('changes its credentials without a gap: no message is lost or comes twice', async () => {
    const worker = await server.createUser('w', {
      subscribe: ['work.>', 'test.>', 'own.>'],
      publish: ['test.>', '_INBOX.>', 'svc.inbox.>'],
    })
    await using one = await openMessenger(server)
    await using two = await openMessenger(server, { user: worker, inboxPrefix: 'own.inbox' })
    const heard: number[] = []
    const answered: number[] = []
    const { promise: held, resolve: release } = createDeferred()
    two.subscribe('work.news', (payload) => heard.push(payload as number))
    two.serve('work.ask', async (payload) => {
      answered.push(payload as number)
      return payload
    })
    two.serve('work.held', async () => {
      await held
      return 'done'
    })
    await settle(two)
    const holding = one.request('work.held', {}, soon)
    const states: boolean[] = []
    two.onConnection((isConnected) => states.push(isConnected))
    let isChanging = true
    const changing = (async () => {
      for (let count = 0; count < 3; count += 1) await two.renew(server.service)
      isChanging = false
    })()
    let sent = 0
    while (isChanging || sent < 100) {
      sent += 1
      one.publish('work.news', sent)
      expect(await one.request('work.ask', sent, soon)).toBe(sent)
    }
    await changing
    await eventually(() => expect(heard).toHaveLength(sent))
    expect([new Set(heard).size, answered.length, states]).toEqual([sent, sent, []])
    release()
    expect(await holding).toBe('done')
  })

  it('keeps its connection when other credentials are refused', async () => {
    await using one = await openMessenger(server)
    const stranger = await server.createUser('late', { expiresInS: -60 })
    await expect(one.renew(stranger)).rejects.toThrow()
    await settle(one)
    expect(one.isConnected).toBe(true)
  })

  it('comes back with the renewed credentials after the first ones expired', async () => {
    const short = await server.createUser('short', { expiresInS: 2 })
    await using one = await openMessenger(server, { user: short })
    expect(one.isConnected).toBe(true)
    await eventually(() => expect(one.isConnected).toBe(false))
    await one.renew(server.service)
    await eventually(() => expect(one.isConnected).toBe(true))
    expect(one.lines.join()).toMatch(/expired/i)
  })

  it('reports what the server refuses once, and fails the request at once', async () => {
    const narrow = await server.createUser('narrow', { publish: ['test.>'], subscribe: ['test.>', 'svc.inbox.>'] })
    await using one = await openMessenger(server, { user: narrow })
    one.subscribe('secret', () => undefined)
    for (let count = 0; count < 3; count += 1) one.publish('secret', count)
    await expect(one.request('secret', {}, soon)).rejects.toMatchObject({ kind: 'forbidden', code: 'bus_forbidden' })
    await eventually(() => expect(one.lines).toHaveLength(2))
  })
})

describe.skipIf(!nats.available)('TLS and logins', () => {
  it('need the authority, the certificate and the password', async () => {
    await using own = await startNats({ auth: 'password', tls: 'mutual' })
    if (!own.available || own.tls === undefined) throw new Error('no server')
    const user = undefined as never
    await using one = await openMessenger(own, { user, credentials: undefined, tls: own.tls })
    expect(one.isConnected).toBe(true)
    const wrong = [
      { url: own.url, tls: { ca: own.tls.ca } },
      { url: own.url, tls: {} },
      { url: own.url.replace('svc-test', 'wrong'), tls: own.tls },
      { url: own.url.replace('tls:', 'nats:').replace('front:svc-test@', ''), tls: own.tls },
    ]
    for (const address of wrong) {
      await using other = await openMessenger(own, { ...address, credentials: undefined, firstConnectionMs: 300 })
      expect([address, other.isConnected]).toEqual([address, false])
    }
  })
})
