import { createServer, type Socket } from 'node:net'
import { listenOnFreePort, trackSockets } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startTestServer, type TestServer } from '../support/server.ts'

const LINE = 'HTTP/1.1 200 OK\r\n'
const JSON_TYPE = 'content-type: application/json\r\n'
const EVENTS = 'content-type: text/event-stream\r\n'
const CHUNKED = 'transfer-encoding: chunked\r\n'

/** Broken upstreams; the bytes are sent as they are, and then the connection ends. */
const BROKEN: Readonly<Record<string, string | Buffer | ((socket: Socket) => void)>> = {
  'hangs up': '',
  'resets the connection': (socket) => socket.resetAndDestroy(),
  'speaks in noise': Buffer.from([0, 255, 1, 254, 13, 10, 13, 10]),
  'speaks TLS': Buffer.from([0x15, 3, 3, 0, 2, 2, 70]),
  'speaks HTTP/2': Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
  'speaks HTTP/3': 'HTTP/3.0 200 OK\r\ncontent-length: 2\r\n\r\n{}',
  'has a status of two digits': 'HTTP/1.1 20 OK\r\ncontent-length: 2\r\n\r\n{}',
  'has a status beyond all': 'HTTP/1.1 999 Odd\r\ncontent-length: 2\r\n\r\n{}',
  'has a header of a megabyte': `${LINE}x: ${'a'.repeat(1 << 20)}\r\n\r\n`,
  'has headers without end': `${LINE}${'x: a\r\n'.repeat(20_000)}`,
  'has a header without a colon': `${LINE}nonsense\r\ncontent-length: 2\r\n\r\n{}`,
  'has a NUL in a header': `${LINE}x: a\0b\r\ncontent-length: 2\r\n\r\n{}`,
  'has two lengths': `${LINE}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
  'has a length and chunks': `${LINE}content-length: 2\r\n${CHUNKED}\r\n2\r\n{}\r\n0\r\n\r\n`,
  'has a negative length': `${LINE}content-length: -2\r\n\r\n{}`,
  'has a chunk size that is none': `${LINE}${JSON_TYPE}${CHUNKED}\r\nzz\r\n{}\r\n0\r\n\r\n`,
  'has a chunk of 2^70 bytes': `${LINE}${JSON_TYPE}${CHUNKED}\r\n400000000000000000\r\n{}`,
  'has a chunk that does not end': `${LINE}${JSON_TYPE}${CHUNKED}\r\n2\r\n{}xx0\r\n\r\n`,
  'cuts its body off': `${LINE}${JSON_TYPE}content-length: 100\r\n\r\n{"choices":[`,
  'cuts its chunks off': `${LINE}${JSON_TYPE}${CHUNKED}\r\nc\r\n{"choices":[\r\n`,
  'says to go on for ever': 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(5000),
  'switches protocols': 'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
  'sends elsewhere': 'HTTP/1.1 302 Found\r\nlocation: /v1/chat/completions\r\ncontent-length: 0\r\n\r\n',
  'says nothing': (socket) => void socket.resume(),
  'says nothing after its head': (socket) => void socket.write(`${LINE}${JSON_TYPE}content-length: 9\r\n\r\n`),
}

/** Well-formed replies without meaning; for a relayed request the client reads them. */
const MEANINGLESS: Readonly<Record<string, string>> = {
  'answers with a web page': `${LINE}content-type: text/html\r\ncontent-length: 6\r\n\r\n<html>`,
  'answers with a list': `${LINE}${JSON_TYPE}content-length: 2\r\n\r\n[]`,
  'answers with no choice': `${LINE}${JSON_TYPE}content-length: 14\r\n\r\n{"choices":[]}`,
  'answers with cut JSON': `${LINE}${JSON_TYPE}content-length: 12\r\n\r\n{"choices":[`,
}

/** Streams that break in the middle. */
const BROKEN_STREAMS: Readonly<Record<string, string>> = {
  'ends before it begins': `${LINE}${EVENTS}${CHUNKED}\r\n0\r\n\r\n`,
  'ends without an end': `${LINE}${EVENTS}${CHUNKED}\r\n${toChunk('data: {"choices":[{"index":0,"delta":{"content":"Hel"}}]}\n\n')}0\r\n\r\n`,
  'is cut inside an event': `${LINE}${EVENTS}${CHUNKED}\r\n${toChunk('data: {"choices":[{"index":0,"del')}`,
  'tells of an error': `${LINE}${EVENTS}${CHUNKED}\r\n${toChunk('data: {"error":{"message":"overloaded"}}\n\n')}0\r\n\r\n`,
}

function toChunk(text: string): string {
  return `${Buffer.byteLength(text).toString(16)}\r\n${text}\r\n`
}

async function startBroken(reply: string | Buffer | ((socket: Socket) => void)) {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', () => (typeof reply === 'function' ? reply(socket) : socket.end(reply)))
  })
  const sockets = trackSockets(server)
  const port = await listenOnFreePort(server)
  return { url: `http://127.0.0.1:${port}/v1/chat/completions`, [Symbol.asyncDispose]: sockets.close }
}

const MODELS = ['relayed', 'translated', 'far'] as const

async function writeModels(server: TestServer, upstream_url: string): Promise<void> {
  const proxy = { upstream_url, request_timeout_seconds: 1 }
  const write = (name: string, backend: string, keys: object): Promise<void> =>
    server.writeModelFile(`${name}.yaml`, stringify({ name, backend, known_usecases: ['chat'], proxy: keys }))
  await write('relayed', 'cloud-proxy', proxy)
  await write('translated', 'cloud-proxy', { ...proxy, mode: 'translate', provider: 'provider_a' })
  await write('far', 'service-proxy', proxy)
}

/** Checks that the log has no failure of the server itself, whatever the upstream sent. */
function expectSound(server: TestServer): void {
  expect(server.logLines.filter((line) => line.includes('unexpected') || line.includes('stage_order'))).toEqual([])
}

describe('an upstream that is broken', () => {
  it.each(Object.entries(BROKEN))('and %s is a 502 in the format of the route', async (_how, reply) => {
    await using upstream = await startBroken(reply)
    await using server = await startTestServer()
    await writeModels(server, upstream.url)
    const replies = await Promise.all(MODELS.map((model) => server.chat(model)))
    for (const [index, { status, text, headers }] of replies.entries()) {
      expect([MODELS[index], status, headers['content-type'], text]).toEqual([
        MODELS[index],
        502,
        'application/json',
        expect.stringContaining('"type":"server_error"'),
      ])
    }
    expectSound(server)
  })

  it.each(Object.entries(MEANINGLESS))('and %s means nothing: 502, or as it came', async (_how, reply) => {
    await using upstream = await startBroken(reply)
    await using server = await startTestServer()
    await writeModels(server, upstream.url)
    const [relayed, translated, far] = await Promise.all(MODELS.map((model) => server.chat(model)))
    expect([relayed?.status, relayed?.text]).toEqual([200, reply.split('\r\n\r\n')[1]])
    expect([translated?.status, far?.status]).toEqual([502, 502])
    expectSound(server)
  })

  it.each(Object.entries(BROKEN_STREAMS))(
    'in a stream that %s is an error inside of it, or a 502',
    async (_how, reply) => {
      await using upstream = await startBroken(reply)
      await using server = await startTestServer()
      await writeModels(server, upstream.url)
      const replies = await Promise.all(MODELS.map((model) => server.chat(model, { stream: true })))
      for (const [index, { status, text }] of replies.entries()) {
        expect([200, 502], MODELS[index]).toContain(status)
        expect(text.match(/"error":/g), `${MODELS[index]}: ${text}`).toHaveLength(1)
        expect(text, MODELS[index]).not.toContain('"finish_reason":"stop"')
      }
      expectSound(server)
    },
  )
})
