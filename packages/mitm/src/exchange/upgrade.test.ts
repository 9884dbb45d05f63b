import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { type Duplex, duplexPair } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { ClientRequest } from '../client/request.ts'
import { listValues, type RawHeaders } from '../headers.ts'
import type { UpgradeOutcome, UpstreamRequest } from '../upstream/upstream.ts'
import { relayUpgrade } from './upgrade.ts'

const ID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
const { signal } = new AbortController()

interface Given {
  readonly protocol?: 'http/1.1' | 'h2'
  readonly method?: string
  readonly hasBody?: boolean
  readonly headers?: RawHeaders
  readonly authorities?: readonly string[]
  readonly host?: string
  readonly wanted?: string
  /** Bytes that came with the reply of the host. */
  readonly first?: string
  readonly accept?: (key: string) => string
  readonly refusal?: UpgradeOutcome
}

/** A client and a host around a relay. */
function open(given: Given = {}) {
  const { protocol = 'http/1.1', host = 'a.example', wanted = 'websocket', first = '' } = given
  const [client, clientSide] = duplexPair()
  const [upstream, upstreamSide] = duplexPair()
  for (const side of [client, clientSide, upstream, upstreamSide]) side.on('error', () => {})
  const asked: unknown[] = []
  const counts = { sent: 0, received: 0 }
  const sent: UpstreamRequest[] = []
  const request = {
    protocol,
    method: given.method ?? (protocol === 'h2' ? 'CONNECT' : 'GET'),
    target: '/live?x',
    authorities: given.authorities ?? ['given.example'],
    headers: given.headers ?? [],
    hasBody: given.hasBody ?? false,
    body: clientSide,
    reply: {
      start: (...args: unknown[]) => asked.push(...args),
      switchProtocols(head: unknown) {
        asked.push(head)
        return clientSide
      },
    },
  } as unknown as ClientRequest
  const accept = given.accept ?? ((key) => createHash('sha1').update(`${key}${ID}`).digest('base64'))
  const outcome = relayUpgrade(request, wanted, {
    upstream: {
      start: () => Promise.reject(new Error('not used')),
      close() {},
      async upgrade(head, named, { aborted }) {
        sent.push(head)
        asked.push([named, aborted])
        if (given.refusal !== undefined) return given.refusal
        const key = listValues(head.headers, 'sec-websocket-key')[0] ?? ''
        const headers = ['Upgrade', 'websocket', 'Sec-WebSocket-Accept', accept(key), 'X-Own', 'y']
        const reply = { status: 101, statusText: 'Switching Protocols', headers }
        return { upgraded: true, head: reply, socket: upstreamSide, first: Buffer.from(first) }
      },
    },
    target: { host, port: 8443 },
    signal,
    onBytes(toHost, fromHost) {
      counts.sent += toHost
      counts.received += fromHost
    },
  })
  return { outcome, asked, sent, counts, client, clientSide, host: upstream, hostSide: upstreamSide }
}

/** Reads so many characters. */
function read(side: Duplex, size: number): Promise<string> {
  return new Promise((resolve) => {
    let text = ''
    side.on('data', (bytes) => {
      text += bytes
      if (text.length >= size) resolve(text)
    })
  })
}

describe('a handshake', () => {
  it.each<Given>([
    { wanted: 'h2c' },
    { wanted: 'h2c', protocol: 'h2' },
    { method: 'POST' },
    { method: 'CONNECT' },
    { hasBody: true },
    { method: 'GET', protocol: 'h2' },
  ])('of %j is refused, and the host is not asked', async (given) => {
    const { outcome, asked } = open(given)
    await expect(outcome).rejects.toMatchObject({ kind: 'invalid_request', code: 'upgrade_unsupported' })
    expect(asked).toEqual([])
  })

  it('over HTTP/1.1 goes on with the key of the client', async () => {
    const headers = ['Host', 'x', 'Connection', 'Upgrade', 'Upgrade', 'websocket', 'Sec-WebSocket-Key', 'k', 'X', 'y']
    const { outcome, asked, sent } = open({ headers: [...headers, 'Expect', 'x', 'Content-Length', '0'], first: '' })
    expect(await outcome).toEqual({ upgraded: true, status: 101 })
    expect(sent).toEqual([
      {
        method: 'GET',
        target: '/live?x',
        authority: 'given.example',
        hasBody: false,
        headers: ['Sec-WebSocket-Key', 'k', 'X', 'y'],
      },
    ])
    expect(asked).toMatchObject([['websocket', false], { status: 101, statusText: 'Switching Protocols' }])
  })

  it('over HTTP/2 goes on with a key of its own, and its answer without it', async () => {
    const given = { protocol: 'h2', hasBody: true, headers: ['sec-websocket-key', 'k', 'x', 'y'] } as const
    const [one, other] = [open(given), open(given)]
    expect(await one.outcome).toEqual({ upgraded: true, status: 200 })
    await other.outcome
    const [key = '', otherKey] = [one, other].map(
      ({ sent }) => listValues(sent[0]?.headers ?? [], 'sec-websocket-key')[0],
    )
    expect(sent(one)).toEqual(['x', 'y', 'sec-websocket-key', key])
    expect([Buffer.from(key, 'base64').length, key === otherKey]).toEqual([16, false])
    expect(one.asked.slice(1)).toEqual([{ status: 200, statusText: undefined, headers: ['X-Own', 'y'] }, true])
  })

  const sent = ({ sent: [first] }: ReturnType<typeof open>) => first?.headers

  it.each([
    ['a.example', 'a.example:8443'],
    ['2001:db8::1', '[2001:db8::1]:8443'],
  ])('without a host is for %s', async (host, authority) => {
    const relay = open({ host, authorities: [] })
    await relay.outcome
    expect(relay.sent[0]?.authority).toBe(authority)
  })

  it('that the host refuses is its reply', async () => {
    const refusal = { upgraded: false, head: { status: 403 } } as unknown as UpgradeOutcome
    expect(await open({ refusal }).outcome).toBe(refusal)
  })

  it('over HTTP/2 fails where the answer has another key', async () => {
    const { outcome, hostSide, asked } = open({ protocol: 'h2', accept: () => 'another' })
    await expect(outcome).rejects.toMatchObject({ kind: 'upstream_failed' })
    expect([hostSide.destroyed, asked]).toEqual([true, [['websocket', false]]])
    expect(await open({ accept: () => 'another' }).outcome).toMatchObject({ upgraded: true })
  })
})

describe('an open connection', () => {
  it('moves bytes both ways, those that came with the reply first, and counts them', async () => {
    const { outcome, client, host, counts } = open({ first: 'early ' })
    await outcome
    host.write('late')
    expect(await read(client, 10)).toBe('early late')
    client.write('hello')
    expect(await read(host, 5)).toBe('hello')
    expect(counts).toEqual({ sent: 5, received: 10 })
  })

  it.each(['client', 'host'] as const)('ends on both sides when the %s leaves, in order or not', async (who) => {
    for (const error of [undefined, new Error('reset')]) {
      const relay = open()
      await relay.outcome
      const [left, kept] = who === 'client' ? [relay.clientSide, relay.hostSide] : [relay.hostSide, relay.clientSide]
      const closed = once(kept, 'close')
      left.destroy(error)
      await closed
      expect([left.destroyed, kept.destroyed]).toEqual([true, true])
    }
  })
})
