import { once } from 'node:events'
import { get as httpGet, type IncomingMessage, request as startRequest } from 'node:http'
import { connect, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { SvcError } from '@svc/errors'
import { createHttpUpstream } from '@svc/http-client'
import {
  createDeferred,
  eventually,
  listenOnFreePort,
  startHttpServer,
  startUpstream,
  trackSockets,
} from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { Provider } from '../ports.ts'
import type { ByteRewriter } from './byte-rewriter.ts'
import { type RelayOptions, type RelayOutcome, relay } from './relay.ts'

type Settled = { readonly outcome: RelayOutcome } | { readonly error: SvcError }

/** A server that relays every request to an address, as the product does. */
async function startRelay(address: string, rest: Partial<RelayOptions> = {}) {
  const upstream = createHttpUpstream()
  const settled: Settled[] = []
  const server = await startHttpServer((incoming, outgoing) => {
    const pieces: Buffer[] = []
    incoming.on('data', (piece: Buffer) => pieces.push(piece))
    incoming.on('end', () => {
      const request = { method: 'POST', url: new URL(address), headers: [], body: Buffer.concat(pieces) } as const
      relay({ upstream, request, provider: 'provider_a', outgoing, ...rest }).then(
        (outcome) => settled.push({ outcome }),
        (error: SvcError) => {
          settled.push({ error })
          if (!outgoing.destroyed) outgoing.writeHead(502, { 'content-type': 'text/plain' }).end(error.code)
        },
      )
    })
  })
  const close = async (): Promise<void> => {
    await upstream.close()
    await server.close()
  }
  return { upstream, settled, origin: server.origin, port: server.port, [Symbol.asyncDispose]: close }
}

interface Seen {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** Whether the reply ended in good order. */
  readonly isWhole: boolean
}

function post(origin: string, body = '{}'): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const outgoing = startRequest(origin, { method: 'POST', agent: false }, (incoming) => {
      const pieces: Buffer[] = []
      incoming.on('data', (bytes: Buffer) => pieces.push(bytes))
      incoming.on('error', () => {})
      incoming.on('close', () => {
        const { statusCode = 0, headers, complete } = incoming
        resolve({ status: statusCode, headers, text: Buffer.concat(pieces).toString(), isWhole: complete })
      })
    })
    outgoing.on('error', reject)
    outgoing.end(body)
  })
}

/** An upstream that writes the given bytes and then ends the connection in the given way. */
async function startRaw(answer: (socket: Socket) => void) {
  const server = createServer((socket) => socket.once('data', () => answer(socket)))
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { sockets, address: `http://127.0.0.1:${port}/v1`, [Symbol.asyncDispose]: sockets.close }
}

const CHAT = [
  'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"grüße"},"finish_reason":null}],"usage":null}\n\n',
  ': ping\n\n',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\n\r\n',
  'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":1}}}\n\n',
  'data: [DONE]\n\n',
]
const CHAT_USAGE = {
  prompt_tokens: 3,
  completion_tokens: 2,
  total_tokens: 5,
  prompt_tokens_details: { cached_tokens: 1 },
}
const MESSAGES = [
  'event: message_start\ndata: {"type":"message_start","message":{"usage":{"input_tokens":7,"cache_read_input_tokens":2,"output_tokens":1}}}\n\n',
  'event: ping\ndata: {"type":"ping"}\n\n',
  'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"text":"event: message_stop [DONE] \\"usage\\":{\\"input_tokens\\":99}"}}\n\n',
  'event: message_delta\ndata: {"type":"message_delta","delta":{"stop_reason":"refusal"},"usage":{"output_tokens":4}}\n\n',
  'event: message_stop\ndata: {"type":"message_stop"}\n\n',
]
const MESSAGES_USAGE = {
  prompt_tokens: 9,
  completion_tokens: 4,
  total_tokens: 13,
  prompt_tokens_details: { cached_tokens: 2 },
}
const EVENTS = { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'up-1', 'set-cookie': 'a=b' }

const FORMATS = [
  { provider: 'provider_a', events: CHAT, usage: CHAT_USAGE, stopReason: undefined },
  { provider: 'provider_b', events: MESSAGES, usage: MESSAGES_USAGE, stopReason: 'refusal' },
] as const

describe.each(FORMATS)('a stream of $provider', ({ provider, events, usage, stopReason }) => {
  it('comes through byte for byte, with its figures told', async () => {
    await using server = await startUpstream()
    server.replyWith({ headers: EVENTS, body: events })
    await using front = await startRelay(server.origin, { provider })
    const seen = await post(front.origin)
    expect(seen).toMatchObject({ status: 200, text: events.join(''), isWhole: true })
    expect(seen.headers).toMatchObject({ 'content-type': EVENTS['content-type'], 'x-request-id': 'up-1' })
    expect(seen.headers).not.toHaveProperty('set-cookie')
    expect(front.settled).toMatchObject([
      { outcome: { status: 200, usage, uncountedBytes: 0, stopReason, failure: undefined } },
    ])
  })

  it('passes each event on as soon as it is whole', async () => {
    const gates = events.map(() => createDeferred<undefined>())
    await using server = await startUpstream()
    server.replyWith({ headers: EVENTS, body: events.flatMap((event, index) => [event, gates[index]?.promise ?? '']) })
    await using front = await startRelay(server.origin, { provider })
    let text = ''
    const outgoing = startRequest(front.origin, { method: 'POST', agent: false }, (incoming) => {
      incoming.on('data', (bytes: Buffer) => {
        text += bytes.toString('utf8')
      })
    }).end('{}')
    for (const [index, gate] of gates.entries()) {
      await eventually(() => expect(text).toBe(events.slice(0, index + 1).join('')))
      gate.resolve(undefined)
    }
    await once(outgoing, 'close')
  })

  it.each(['chunks, reset', 'chunks, closed', 'the end of the connection'])(
    'cut at every byte (%s) ends with an error event',
    async (how) => {
      const stream = Buffer.from(events.join(''))
      const head = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n`
      let cut = 0
      await using raw = await startRaw((socket) => {
        const part = stream.subarray(0, cut)
        if (how === 'the end of the connection') {
          socket.end(Buffer.concat([Buffer.from(`${head}\r\n`), part]))
          return
        }
        socket.write(`${head}transfer-encoding: chunked\r\n\r\n${stream.length.toString(16)}\r\n`)
        socket.write(part, () => {
          if (how === 'chunks, closed') socket.end()
          // A reset discards unread bytes: the other side reads first.
          else setImmediate(() => setImmediate(() => socket.resetAndDestroy()))
        })
      })
      await using front = await startRelay(raw.address, { provider })
      for (cut = 0; cut < stream.length; cut += 1) {
        checkCut(provider, await post(front.origin), { stream, cut })
      }
      expect(front.upstream.counts.running).toBe(0)
    },
  )

  it('that ends in good order but without its last event gets an error event', async () => {
    await using server = await startUpstream()
    server.replyWith({ headers: EVENTS, body: events.slice(0, 1) })
    await using front = await startRelay(server.origin, { provider })
    const { text } = await post(front.origin)
    expect(text.startsWith(`${events[0]}${provider === 'provider_b' ? 'event: error\n' : 'data: {"error":'}`)).toBe(
      true,
    )
    expect(front.settled).toMatchObject([
      { outcome: { failure: { kind: 'upstream_failed', details: { reason: 'truncated' } } } },
    ])
  })

  it('that ends with an error of the upstream gets no second one', async () => {
    const error =
      provider === 'provider_b'
        ? 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"x"}}\n\n'
        : 'data: {"error":{"message":"x"}}\n\n'
    await using server = await startUpstream()
    server.replyWith({ headers: EVENTS, body: [...events.slice(0, 1), error] })
    await using front = await startRelay(server.origin, { provider })
    expect(await post(front.origin)).toMatchObject({ text: `${events[0]}${error}`, isWhole: true })
  })
})

const ERROR_EVENT = {
  provider_a: /^data: \{"error":\{"message":"the upstream failed.*\}\n\ndata: \[DONE\]\n\n$/,
  provider_b: /^event: error\ndata: \{"type":"error".*\}\n\n$/,
}
const LAST_DATA = { provider_a: 'data: [DONE]', provider_b: 'data: {"type":"message_stop"}' }

/**
 * Checks a cut stream: whole events and an error event; a status when no event had arrived; all of it when the last
 * data had arrived.
 */
function checkCut(provider: Provider, seen: Seen, { stream, cut }: { stream: Buffer; cut: number }): void {
  const sent = stream.subarray(0, cut).toString()
  const context = `cut at ${cut}`
  expect(seen.isWhole, context).toBe(true)
  if (sent.includes(LAST_DATA[provider]) && seen.text === sent) return
  const passed = sent.slice(0, Math.max(sent.lastIndexOf('\n\n') + 2, sent.lastIndexOf('\n\r\n') + 3, 0))
  if (!/\n\r?\n/.test(sent)) {
    expect([seen.status, seen.text], context).toEqual([502, 'upstream_failed'])
    return
  }
  expect(seen.text.startsWith(passed), context).toBe(true)
  expect(seen.text.slice(passed.length), context).toMatch(ERROR_EVENT[provider])
}

describe('upstreams that leave something out', () => {
  it.each([
    ['the last event, after a finish reason', [CHAT[0], CHAT[2], CHAT[3]]],
    ['the empty line after the last event', [CHAT[0], 'data: [DONE]\n']],
    ['the line end of the last event', [CHAT[0], 'data: [DONE]']],
  ])('%s, are let be', async (_, body) => {
    await using server = await startUpstream()
    server.replyWith({ headers: EVENTS, body: body.flatMap((event) => event ?? []) })
    await using front = await startRelay(server.origin)
    expect(await post(front.origin)).toMatchObject({ text: body.join(''), isWhole: true })
    expect(front.settled).toMatchObject([{ outcome: { failure: undefined } }])
  })
})

describe('replies that are no stream', () => {
  it('come through with their length and figures', async () => {
    const body = '{ "odd":1.0, "usage" : {"prompt_tokens":3,"completion_tokens":4} }'
    await using server = await startUpstream()
    server.replyWith({ headers: { 'content-type': 'application/json' }, body: [body.slice(0, 9), body.slice(9)] })
    await using front = await startRelay(server.origin)
    const seen = await post(front.origin)
    expect(seen).toMatchObject({ status: 200, text: body, isWhole: true })
    expect(seen.headers).toMatchObject({ 'content-length': String(body.length), 'content-type': 'application/json' })
    const usage = { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 }
    expect(front.settled).toEqual([
      {
        outcome: { status: 200, usage, answerBytes: 0, uncountedBytes: 0, stopReason: undefined, failure: undefined },
      },
    ])
  })

  it('come through when they are large, and tell their figures', async () => {
    const body = JSON.stringify({ text: 'ü'.repeat(1_000_000), usage: { prompt_tokens: 1, completion_tokens: 2 } })
    await using server = await startUpstream()
    server.replyWith({ headers: { 'content-type': 'application/json' }, body })
    await using front = await startRelay(server.origin)
    const seen = await post(front.origin)
    expect(seen.text === body).toBe(true)
    expect(seen.headers['content-length']).toBe(String(Buffer.byteLength(body)))
    expect(front.settled).toMatchObject([{ outcome: { usage: { prompt_tokens: 1, completion_tokens: 2 } } }])
  })

  it.each([400, 401, 404, 429, 500, 503, 529])('of status %d come through unchanged', async (status) => {
    const headers = {
      'content-type': 'text/html',
      'retry-after': '7',
      'x-ratelimit-remaining-requests': '0',
      server: 'x',
    }
    await using server = await startUpstream()
    server.replyWith({ status, headers, body: '<odd error>' })
    await using front = await startRelay(server.origin)
    const seen = await post(front.origin)
    expect(seen).toMatchObject({ status, text: '<odd error>' })
    const { server: _, ...kept } = headers
    expect(seen.headers).toMatchObject(kept)
    expect(seen.headers).not.toHaveProperty('server')
    expect(front.settled).toMatchObject([{ outcome: { status, usage: undefined, failure: undefined } }])
  })

  it.each([
    ['authorization', 'Bearer sk-secret'],
    ['x-api-key', 'sk-secret'],
  ])('that repeat the key of %s get it blotted out, wherever they are cut', async (name, value) => {
    const body = 'Incorrect key: sk-secret. You sent sk-secret; sk-secre is none, ü stays.'
    await using server = await startUpstream()
    const request = { method: 'POST', url: new URL(server.origin), headers: [[name, value]] } as const
    await using front = await startRelay(server.origin, { request })
    const expected = body.replaceAll(/sk-secret/g, '[key]')
    for (let cut = 0; cut < 40; cut += 3) {
      server.enqueue({ status: 401, body: [body.slice(0, cut), body.slice(cut)].filter((piece) => piece !== '') })
      expect(await post(front.origin)).toMatchObject({ status: 401, text: expected, isWhole: true })
    }
  })

  it('in a coding that cannot be decoded come through as they are', async () => {
    const body = Buffer.from([0x1f, 0x8b, 0, 255, 10, 10])
    await using server = await startUpstream()
    server.replyWith({ headers: { ...EVENTS, 'content-encoding': 'zstd, gzip' }, body })
    await using front = await startRelay(server.origin, { rewriter: { push: () => [], end: () => [] } })
    const incoming = await new Promise<IncomingMessage>((resolve) => httpGet(front.origin, resolve))
    const pieces: Buffer[] = []
    for await (const piece of incoming) pieces.push(piece)
    expect([incoming.headers['content-encoding'], Buffer.concat(pieces).equals(body)]).toEqual(['zstd, gzip', true])
  })

  it('that nobody asked to encode come decoded: events, figures, rewriting and the key', async () => {
    await using server = await startUpstream()
    const rewriter = (): ByteRewriter => ({
      push: (bytes) => Buffer.from(Buffer.from(bytes).toString('latin1').replaceAll('delta', 'DELTA'), 'latin1'),
      end: () => [],
    })
    const request = { method: 'POST', url: new URL(server.origin), headers: [['x-api-key', 'sk-secret']] } as const
    const gzip = { 'content-encoding': 'gzip' }
    await using front = await startRelay(server.origin, { request, rewriter: rewriter() })
    server.enqueue(
      { headers: { ...EVENTS, ...gzip }, body: gzipSync(CHAT.join('')) },
      { status: 401, headers: gzip, body: gzipSync('sk-secret is wrong') },
    )
    const stream = await post(front.origin)
    expect(stream.text).toBe(CHAT.join('').replaceAll('delta', 'DELTA'))
    expect(stream.headers['content-encoding']).toBeUndefined()
    expect(front.settled).toMatchObject([{ outcome: { usage: CHAT_USAGE, failure: undefined } }])
    expect(await post(front.origin)).toMatchObject({ status: 401, text: '[key] is wrong', isWhole: true })
  })

  it.each([301, 302, 303, 307, 308])('that redirect (%d) are an error, and the key goes nowhere', async (status) => {
    await using target = await startUpstream()
    await using server = await startUpstream()
    server.replyWith({ status, headers: { location: target.origin } })
    await using front = await startRelay(server.origin)
    expect(await post(front.origin)).toMatchObject({ status: 502 })
    expect(front.settled).toMatchObject([{ error: { kind: 'upstream_failed', details: { reason: 'redirect' } } }])
    expect(target.connections).toBe(0)
  })

  it('that are cut are an error with a status while they are small, and never look whole', async () => {
    const json = `{"text":"${'x'.repeat(100)}"}`
    const large = 'x'.repeat(600_000)
    const replies = [
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json.slice(0, 50)}`,
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n${json.slice(0, 50)}`,
      `HTTP/1.1 500 Oops\r\ncontent-type: application/json\r\ncontent-length: ${json.length}\r\n\r\n${json.slice(0, 50)}`,
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 700000\r\n\r\n${large}`,
      `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ntransfer-encoding: chunked\r\n\r\n${(700_000).toString(16)}\r\n${large}`,
    ]
    await using raw = await startRaw((socket) => socket.end(replies.shift() ?? ''))
    await using front = await startRelay(raw.address)
    for (let index = 0; index < 3; index += 1) {
      expect(await post(front.origin)).toMatchObject({ status: 502, text: 'upstream_failed' })
    }
    for (let index = 0; index < 2; index += 1) {
      expect(await post(front.origin)).toMatchObject({ status: 200, isWhole: false })
    }
  })
})

describe('a rewriter', () => {
  const upper = () => ({
    push: (bytes: Uint8Array) => [Buffer.from(Buffer.from(bytes).toString('utf8').replaceAll('grüße', 'GRÜSSE'))],
    end: () => Buffer.from('.'),
  })

  it('changes events and bodies, and counts their length again', async () => {
    await using server = await startUpstream()
    server.enqueue(
      { headers: EVENTS, body: CHAT },
      { headers: { 'content-type': 'application/json' }, body: '"grüße"' },
    )
    await using front = await startRelay(server.origin, { rewriter: upper() })
    expect(await post(front.origin)).toMatchObject({ text: `${CHAT.join('').replace('grüße', 'GRÜSSE')}.` })
    const seen = await post(front.origin)
    expect([seen.text, seen.headers['content-length']]).toEqual(['"GRÜSSE".', String(Buffer.byteLength('"GRÜSSE".'))])
  })

  it('gives its held bytes before an error event, and leaves errors of the upstream alone', async () => {
    await using server = await startUpstream()
    server.enqueue({ headers: EVENTS, body: CHAT.slice(0, 1) }, { status: 400, body: 'grüße' })
    await using front = await startRelay(server.origin, { rewriter: upper() })
    expect((await post(front.origin)).text).toMatch(/GRÜSSE.*\n\n\.data: \{"error"/)
    expect((await post(front.origin)).text).toBe('grüße')
  })
})

describe('clients', () => {
  it('that leave end the request upstream at once', async () => {
    const never = createDeferred<undefined>()
    await using server = await startUpstream()
    server.replyWith({ headers: EVENTS, body: [CHAT[0] ?? '', never.promise] })
    await using front = await startRelay(server.origin)
    const outgoing = startRequest(front.origin, { method: 'POST', agent: false }, (incoming) => {
      incoming.on('error', () => {})
      incoming.once('data', () => outgoing.destroy())
    }).end('{}')
    const request = await server.request(0)
    expect(await request.outcome).toBe('aborted')
    await eventually(() => expect(front.settled).toMatchObject([{ outcome: { failure: { code: 'client_gone' } } }]))
    expect(front.upstream.counts.running).toBe(0)
  })

  it('that leave before the reply end it too', async () => {
    const never = createDeferred<never>()
    await using server = await startUpstream()
    server.replyWith(() => never.promise)
    await using front = await startRelay(server.origin)
    const outgoing = startRequest(front.origin, { method: 'POST', agent: false }).end('{}')
    outgoing.on('error', () => {})
    const request = await server.request(0)
    outgoing.destroy()
    expect(await request.outcome).toBe('aborted')
    await eventually(() => expect(front.settled).toMatchObject([{ error: { code: 'client_gone' } }]))
  })

  it('that do not read hold the upstream back, and are let go after a time', async () => {
    let written = 0
    const event = `data: ${'x'.repeat(8000)}\n\n`
    await using raw = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n')
      const more = (): void => {
        while (written < 300_000_000) {
          written += event.length
          if (!socket.write(event)) break
        }
      }
      socket.on('drain', more)
      more()
    })
    await using front = await startRelay(raw.address, { stallMs: 300 })
    const client = connect(front.port, '127.0.0.1')
    client.on('error', () => {})
    client.write('POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}')
    client.pause()
    await eventually(() => expect(front.settled).toMatchObject([{ outcome: { failure: { code: 'client_stalled' } } }]))
    // Kernel buffers of four sockets, and small buffers of our own.
    expect(written).toBeLessThan(30_000_000)
    await eventually(() => expect(raw.sockets.open.size).toBe(0))
    client.destroy()
  })

  it('that read slowly get every byte', async () => {
    const body = Array.from({ length: 3000 }, (_, index) => `data: ${index} ${'x'.repeat(2000)}\n\n`)
    await using server = await startUpstream()
    server.replyWith({ headers: EVENTS, body: [...body, 'data: [DONE]\n\n'] })
    await using front = await startRelay(server.origin)
    const incoming = await new Promise<IncomingMessage>((resolve) => {
      startRequest(front.origin, { method: 'POST', agent: false }, resolve).end('{}')
    })
    let text = ''
    for await (const piece of incoming) {
      text += String(piece)
      await new Promise((next) => setImmediate(next))
    }
    expect(text === `${body.join('')}data: [DONE]\n\n`).toBe(true)
  })

  it('of the old protocol get a stream that the end of the connection ends', async () => {
    await using server = await startUpstream()
    server.replyWith({ headers: EVENTS, body: CHAT })
    await using front = await startRelay(server.origin)
    const client = connect(front.port, '127.0.0.1')
    client.write('POST / HTTP/1.0\r\ncontent-length: 2\r\n\r\n{}')
    let text = ''
    for await (const piece of client) text += String(piece)
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(CHAT.join(''))
  })
})
