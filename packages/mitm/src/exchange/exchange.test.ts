import { Duplex, PassThrough } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { SvcError } from '@svc/errors'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ClientRequest } from '../client/request.ts'
import type { MitmEvent } from '../events.ts'
import { ByteBudget } from '../limits/byte-budget.ts'
import { Deadlines } from '../limits/deadlines.ts'
import { resolveLimits } from '../limits/limits.ts'
import type { BodyFilter } from '../ports.ts'
import type { ReplyListener, UpstreamRequest } from '../upstream/upstream.ts'
import { Exchange } from './exchange.ts'

const LIMITS = resolveLimits({ bodyMs: 1000, scannedBodyMs: 2600, filterMs: 2000, replyMs: 3000, idleMs: 4000 })
const DRAIN_MS = 10_000
/** The deadlines are looked at this often. */
const SWEEP_MS = 250
const SCANNED = '/v1/messages'
const HEAD = { status: 200, statusText: undefined, headers: [] }
const pass: BodyFilter = { filter: async ({ body }) => ({ blocked: false, body }) }

interface Given {
  readonly target?: string
  readonly filter?: BodyFilter
  readonly hasBody?: boolean
  readonly upgrade?: string
  readonly method?: string
  /** @default 'h2' */
  readonly clientProtocol?: 'http/1.1' | 'h2'
  /** Whether the connection to the host holds a head back until it has bytes of the body. */
  readonly canFlush?: boolean
  /** Whether the reply of the host cannot be passed on. */
  readonly isUnspeakable?: boolean
}

/** A connection that takes everything, and gives what the test pushes. */
const createPeer = (): Duplex => new Duplex({ read: () => undefined, write: (_, __, taken) => taken() })

/** An exchange between a client and a host that the test plays. */
function open(given: Given = {}) {
  const { target = '/v1/files', filter, hasBody = true, upgrade, method = 'POST' } = given
  const { clientProtocol: protocol = 'h2', canFlush = false, isUnspeakable = false } = given
  const events: MitmEvent[] = []
  const deadlines = new Deadlines()
  const budget = new ByteBudget(1000)
  const body = new PassThrough()
  const stream = new PassThrough()
  const calls: string[] = []
  const sent: { head: UpstreamRequest; listener: ReplyListener; body: PassThrough; isWanted: () => boolean }[] = []
  const signals: AbortSignal[] = []
  let isStarted = false
  let close: (isComplete: boolean) => void = () => {}
  let switchProtocols: () => Duplex | undefined = () => undefined
  const request: ClientRequest = {
    protocol,
    method,
    target,
    authorities: ['a.example'],
    headers: [],
    hasBody,
    body,
    expectsContinue: false,
    upgrade,
    trailers: () => [],
    reply: {
      get isStarted() {
        return isStarted
      },
      stream,
      inform: ({ status }) => void calls.push(`inform ${status}`),
      start({ status }) {
        if (isUnspeakable) throw new TypeError('invalid header')
        isStarted = true
        calls.push(`start ${status}`)
      },
      flush: () => void calls.push('flush'),
      finish() {
        calls.push('finish')
        stream.end()
      },
      closeAfterwards: () => void calls.push('close afterwards'),
      switchProtocols: createPeer,
      abort: () => void calls.push('abort'),
      onceClosed(listener) {
        close = listener
      },
    },
  }
  const exchange = new Exchange(
    {
      shared: { limits: LIMITS, budget, deadlines, onEvent: (event) => events.push(event) },
      connectionId: '1',
      target: { host: 'a.example', port: 443 },
      authority: 'a.example',
      isMisdirected: false,
      findRules: () => ({ filter }),
      upstream: {
        async start(head, listener, isWanted) {
          const outgoing = new PassThrough()
          if (canFlush) Object.assign(outgoing, { flushHeaders: () => void calls.push('flush head') })
          sent.push({ head, listener, body: outgoing, isWanted })
          return {
            protocol: 'http/1.1',
            stream: outgoing.resume(),
            setTrailers: () => {},
            abort: () => void calls.push('abort host'),
          }
        },
        upgrade(_head, _protocol, signal) {
          signals.push(signal)
          return new Promise((resolve, reject) => {
            switchProtocols = () => {
              const socket = createPeer()
              resolve({ upgraded: true, head: { ...HEAD, status: 101 }, socket, first: Buffer.alloc(0) })
              return socket
            }
            signal.addEventListener('abort', () => reject(signal.reason))
          })
        },
        close() {},
      },
    },
    request,
  )
  const running = exchange.run()
  return {
    events,
    budget,
    body,
    stream,
    calls,
    sent,
    signals,
    running,
    close: (isComplete: boolean) => close(isComplete),
    /** Opens the connection that the client asked for. */
    switchProtocols: () => switchProtocols(),
    /** Answers the request that was sent last, and returns the body of the reply. */
    reply(head = HEAD) {
      const answer = new PassThrough()
      sent.at(-1)?.listener.reply(head, { stream: answer, trailers: () => [] })
      return answer
    },
  }
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

async function advance(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms)
  await turn()
}

/** Just before and just after a limit of so many milliseconds. */
async function passLimit(ms: number, calls: readonly string[]): Promise<readonly string[]> {
  await advance(ms - SWEEP_MS)
  const before = [...calls]
  await advance(2 * SWEEP_MS)
  expect(calls.slice(0, before.length)).toEqual(before)
  return calls.slice(before.length)
}

describe('the time limit', () => {
  it('of a body that is scanned begins again with each piece, up to that of the whole body', async () => {
    const { body, calls, close, events } = open({ target: SCANNED, filter: pass })
    for (let piece = 0; piece < 3; piece += 1) {
      body.write('x')
      await advance(800)
      expect(calls).toEqual([])
    }
    body.write('x')
    await advance(2 * SWEEP_MS)
    expect(calls).toEqual(['abort'])
    close(false)
    expect(events).toMatchObject([{ outcome: 'aborted', code: 'idle_timeout', status: undefined, scanned: 'messages' }])
  })

  it('of a body that is scanned ends it without further pieces', async () => {
    const { body, calls } = open({ target: SCANNED, filter: pass })
    body.write('x')
    await turn()
    expect(await passLimit(LIMITS.bodyMs, calls)).toEqual(['abort'])
  })

  it('of the filter is a 503, and its signal aborts', async () => {
    let given: AbortSignal | undefined
    const filter: BodyFilter = {
      filter(_request, { signal }) {
        given = signal
        return new Promise(() => {})
      },
    }
    const { body, calls, close, events } = open({ target: SCANNED, filter })
    body.end('x')
    await turn()
    expect(await passLimit(LIMITS.filterMs, calls)).toEqual(['start 503', 'finish'])
    expect(given?.reason).toMatchObject({ code: 'pii_ner_unavailable' })
    close(true)
    expect(events).toMatchObject([{ outcome: 'refused', code: 'pii_ner_unavailable', status: 503 }])
  })

  it('of the host is a 502, and its connection is left', async () => {
    const { calls, close, events } = open({ hasBody: false })
    await turn()
    expect(await passLimit(LIMITS.replyMs, calls)).toEqual(['abort host', 'start 502', 'finish'])
    close(true)
    expect(events).toMatchObject([{ outcome: 'failed', code: 'upstream_timeout', status: 502 }])
  })

  it('of the host is a 502 for a handshake too, which ends', async () => {
    const { calls, close, events, signals } = open({ hasBody: false, upgrade: 'websocket', method: 'CONNECT' })
    await turn()
    expect(await passLimit(LIMITS.replyMs, calls)).toEqual(['start 502', 'finish'])
    expect(signals.map(({ reason }) => reason)).toMatchObject([{ code: 'upstream_timeout' }])
    close(true)
    expect(events).toMatchObject([{ outcome: 'failed', code: 'upstream_timeout', status: 502, upgraded: false }])
  })

  it('of a connection of another protocol is that of a reply', async () => {
    const exchange = open({ hasBody: false, upgrade: 'websocket', method: 'GET', clientProtocol: 'http/1.1' })
    await turn()
    const host = exchange.switchProtocols()
    await turn()
    await advance(LIMITS.idleMs - SWEEP_MS)
    expect(exchange.calls).toEqual([])
    host?.push('x')
    await turn()
    expect(await passLimit(LIMITS.idleMs, exchange.calls)).toEqual(['abort'])
    exchange.close(false)
    expect(exchange.events).toMatchObject([{ outcome: 'failed', code: 'idle_timeout', status: 101, upgraded: true }])
  })

  it('of the host begins again with each piece of the body, and with each status ahead of the reply', async () => {
    const { body, calls, sent } = open()
    await turn()
    await advance(LIMITS.replyMs - SWEEP_MS)
    body.write('x')
    await advance(LIMITS.replyMs - SWEEP_MS)
    sent[0]?.listener.information({ status: 103, statusText: undefined, headers: [] })
    expect(await passLimit(LIMITS.replyMs, calls)).toEqual(['abort host', 'start 502', 'finish'])
    expect(calls[0]).toBe('inform 103')
  })

  it('of a reply begins again with each piece, and cuts it off', async () => {
    const { body, calls, reply, close, events } = open()
    body.end()
    await turn()
    const answer = reply()
    for (let piece = 0; piece < 3; piece += 1) {
      answer.write('x')
      await advance(LIMITS.idleMs - SWEEP_MS)
    }
    expect(calls).toEqual(['start 200'])
    answer.write('x')
    await turn()
    expect(await passLimit(LIMITS.idleMs, calls)).toEqual(['abort'])
    close(false)
    expect(events).toMatchObject([{ outcome: 'failed', code: 'idle_timeout', status: 200, bytesReceived: 4 }])
  })

  it('of a client that does not take its refusal ends its connection, again and again', async () => {
    const { body, calls } = open({ target: SCANNED, filter: { filter: async () => ({ blocked: true }) } })
    body.end('x')
    await turn()
    expect(calls).toEqual(['start 400', 'finish'])
    expect(await passLimit(DRAIN_MS, calls)).toEqual(['abort'])
    await advance(LIMITS.bodyMs)
    expect(calls.slice(2)).toEqual(['abort', 'abort'])
  })

  it('of a refused body is not that of its pieces', async () => {
    const { body, calls } = open({ target: 'no-path' })
    expect(calls).toEqual(['close afterwards', 'start 400', 'finish'])
    for (let waited = 0; waited < DRAIN_MS; waited += 2500) {
      expect(calls).toEqual(['close afterwards', 'start 400', 'finish'])
      body.write('x')
      await advance(2500)
    }
    await advance(SWEEP_MS)
    expect(calls).toEqual(['close afterwards', 'start 400', 'finish', 'abort'])
  })

  it('ends with the exchange', async () => {
    const { calls, close } = open()
    await turn()
    close(true)
    expect(vi.getTimerCount()).toBe(1)
    await advance(SWEEP_MS)
    expect(vi.getTimerCount()).toBe(0)
    await advance(60_000)
    expect(calls).toEqual([])
  })
})

describe('the end', () => {
  it('of the reply is one event', async () => {
    const { body, calls, reply, close, events, running } = open()
    body.end('12345')
    await turn()
    reply().end('123')
    await turn()
    expect(calls).toEqual(['start 200', 'finish'])
    close(true)
    close(false)
    await running
    expect(events).toEqual([
      {
        type: 'traffic',
        connectionId: '1',
        host: 'a.example',
        port: 443,
        correlationId: expect.any(String),
        method: 'POST',
        clientProtocol: 'h2',
        upstreamProtocol: 'http/1.1',
        scanned: undefined,
        rewritten: false,
        upgraded: false,
        outcome: 'relayed',
        status: 200,
        code: undefined,
        bytesSent: 5,
        bytesReceived: 3,
        durationMs: expect.any(Number),
      },
    ])
    expect(calls).toEqual(['start 200', 'finish'])
  })

  it.each(['before the reply', 'in the reply'])('of the client %s reaches the host', async (when) => {
    const { calls, reply, close, events, sent, running } = open()
    await turn()
    if (when === 'in the reply') reply().write('x')
    await turn()
    const before = [...calls]
    close(false)
    await running
    expect(calls).toEqual([...before, 'abort host'])
    expect(events).toMatchObject([{ outcome: 'aborted', code: 'client_closed' }])
    expect(sent[0]?.isWanted()).toBe(false)
  })

  it('of the client reaches a filter, and nothing is sent or held afterwards', async () => {
    let given: AbortSignal | undefined
    let decide: () => void = () => {}
    const filter: BodyFilter = {
      filter({ body }, { signal }) {
        given = signal
        return new Promise((resolve) => {
          decide = () => resolve({ blocked: false, body })
        })
      },
    }
    const { body, budget, calls, close, events, sent, running } = open({ target: SCANNED, filter })
    body.end('12345')
    await turn()
    expect(budget.usedBytes).toBe(5)
    close(false)
    expect(given?.reason).toMatchObject({ kind: 'cancelled' })
    decide()
    await running
    await turn()
    expect([sent, calls, budget.usedBytes]).toEqual([[], [], 0])
    expect(events).toMatchObject([{ outcome: 'aborted', code: 'client_closed', bytesSent: 0 }])
  })

  it('of the client reaches a handshake of another protocol', async () => {
    const { close, events, running, signals } = open({ upgrade: 'websocket', hasBody: false, method: 'CONNECT' })
    await turn()
    close(false)
    await running
    expect(signals.map(({ reason }) => reason)).toMatchObject([{ kind: 'cancelled' }])
    expect(events).toMatchObject([{ outcome: 'aborted', code: 'client_closed', upgraded: false }])
  })

  it('of the host in a reply cuts the reply off', async () => {
    const { calls, reply, close, events } = open()
    await turn()
    const answer = reply()
    answer.write('x')
    await turn()
    answer.destroy(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))
    await turn()
    expect(calls).toEqual(['start 200', 'abort host', 'abort'])
    close(false)
    expect(events).toMatchObject([{ outcome: 'failed', code: 'upstream_failed', status: 200 }])
  })

  it('of a reply before that of the body leaves the host, and reads the rest of the body', async () => {
    const { body, calls, reply } = open()
    body.write('x')
    await turn()
    reply().end()
    await turn()
    expect(calls).toEqual(['start 200', 'finish', 'abort host'])
    body.end('y'.repeat(100_000))
    await turn()
    expect(body.readableEnded).toBe(true)
  })
})

it('a body that has not begun keeps its head from nobody', async () => {
  const { calls } = open({ canFlush: true })
  await turn()
  expect(calls).toEqual(['flush head'])
})

describe('a reply', () => {
  it.each(['a refusal', 'the end'])('that comes after %s is dropped, and its connection left', async (after) => {
    const { calls, reply, close, sent } = open({ hasBody: false })
    await turn()
    if (after === 'the end') close(true)
    else sent[0]?.listener.fail(new SvcError('upstream_failed', 'x'), false)
    calls.length = 0
    const answer = reply()
    answer.write('x')
    await turn()
    expect(calls).toEqual(['abort host'])
    expect(answer.readableFlowing).toBe(true)
    sent[0]?.listener.information({ status: 103, statusText: undefined, headers: [] })
    expect(calls).toEqual(['abort host'])
  })

  it.each([
    ['whole', true, false, 2],
    ['whole', false, false, 1],
    ['streamed', true, true, 1],
  ] as const)(
    'that fails to a %s body is asked for again: unprocessed %s',
    async (_, isUnprocessed, hasBody, times) => {
      const { calls, sent } = open({ hasBody })
      await turn()
      sent[0]?.listener.fail(new Error('reset'), isUnprocessed)
      await turn()
      expect(sent).toHaveLength(times)
      if (times === 1) expect(calls).toEqual(['abort host', 'start 502', 'finish'])
      else {
        expect(calls).toEqual([])
        sent[1]?.listener.fail(new Error('reset'), isUnprocessed)
        await turn()
        expect([sent.length, calls]).toEqual([2, ['abort host', 'start 502', 'finish']])
      }
    },
  )

  it('is not asked for again once the client has left', async () => {
    const { close, sent } = open({ hasBody: false })
    await turn()
    close(false)
    sent[0]?.listener.fail(new Error('reset'), true)
    await turn()
    expect(sent).toHaveLength(1)
  })

  it('that cannot be passed on leaves the host, and the client without one', async () => {
    const { calls, reply, close, events } = open({ hasBody: false, isUnspeakable: true })
    await turn()
    reply()
    await turn()
    expect(calls.slice(0, 2)).toEqual(['abort host', 'abort'])
    close(false)
    expect(events).toMatchObject([{ outcome: 'failed', status: 200 }])
  })

  it('without bytes goes out at once', async () => {
    const { calls, reply } = open({ hasBody: false })
    await turn()
    reply()
    await turn()
    await turn()
    expect(calls).toEqual(['start 200', 'flush'])
  })
})
