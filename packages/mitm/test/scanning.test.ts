import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { type BodyFilter, MitmError } from '@svc/mitm'
import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { ask, LISTED, startWorld, tlsThrough, type World } from './world.ts'

const CLIENTS = ['http/1.1', 'h2'] as const
const CHAT = '/v1/chat/completions'
const SECRET = '{"messages":[{"content":"a secret"}],"seed":1.0,"seed":12345678901234567890}'
const MASKED = SECRET.replace('secret', '[MASK]')

/** Sends raw bytes over an intercepted connection and returns everything that comes back until its end. */
async function sendRaw(world: World, parts: readonly (string | Buffer)[]): Promise<string> {
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
  let answer = ''
  tls.removeAllListeners('error').on('error', () => {})
  tls.on('data', (bytes) => {
    answer += bytes
  })
  for (const part of parts) await new Promise<void>((resolve) => tls.write(part, () => resolve()))
  await once(tls, 'close')
  return answer
}

const head = (world: World, lines: readonly string[], path = CHAT) =>
  [`POST ${path} HTTP/1.1`, `host: ${world.target}`, 'content-type: application/json', ...lines, '', ''].join('\r\n')

const ZSTD = (() => {
  try {
    return (text: string) => execFileSync('zstd', ['-c'], { input: text })
  } catch {
    return undefined
  }
})()

/** A frame with one raw block: any text, not compressed. */
function rawZstd(text: string): Buffer {
  const content = Buffer.from(text)
  const block = Buffer.alloc(3)
  block.writeUIntLE((content.length << 3) | 1, 0, 3)
  return Buffer.concat([Buffer.of(0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58), block, content])
}

const CODINGS: readonly (readonly [string, (text: string) => Buffer])[] = [
  ['identity', Buffer.from],
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['GZIP', gzipSync],
  ['deflate', deflateSync],
  ['deflate', deflateRawSync],
  ['br', brotliCompressSync],
  ['zstd', rawZstd],
]

describe.each(CLIENTS)('over %s', (client) => {
  it.each(CODINGS)('a body in %s is decoded, masked and blocked', async (coding, encode) => {
    await using world = await startWorld()
    const headers = { 'content-encoding': coding, 'content-type': 'application/json' }
    expect((await ask(world, client, { path: CHAT, headers, body: encode(SECRET) })).status).toBe(200)
    const [request] = world.upstream.requests
    expect(request?.text()).toBe(MASKED)
    expect(request?.header('content-encoding')).toEqual([])
    expect(request?.header('content-length')).toEqual([String(MASKED.length)])
    const blocked = await ask(world, client, { path: '/v1/messages', headers, body: encode('{"x":"forbidden"}') })
    expect(blocked.status).toBe(400)
    expect(world.upstream.requests).toHaveLength(1)
  })

  it.each(['gzip, br', 'gzip, gzip', 'compress', 'dcb', 'aes128gcm', 'utf-8'])(
    'a body in %s is refused',
    async (coding) => {
      await using world = await startWorld()
      const headers = { 'content-encoding': coding }
      const refused = await ask(world, client, { path: CHAT, headers, body: gzipSync(gzipSync(SECRET)) })
      expect(refused.status).toBe(415)
      expect(world.upstream.connections).toBe(0)
      expect(await world.event('traffic')).toMatchObject({ outcome: 'refused', code: 'unsupported_content_coding' })
    },
  )

  it.each([
    ['gzip', gzipSync(SECRET).subarray(0, -9)],
    ['gzip', Buffer.from(SECRET)],
    ['br', Buffer.from(SECRET)],
    ['deflate', Buffer.from('x')],
    ['zstd', Buffer.from(SECRET)],
    ['zstd', rawZstd(SECRET).subarray(0, -1)],
  ])('broken %s is refused', async (coding, body) => {
    await using world = await startWorld()
    const refused = await ask(world, client, { path: CHAT, headers: { 'content-encoding': coding }, body })
    expect(refused.status).toBe(400)
    expect(world.upstream.connections).toBe(0)
  })

  it('a body past the limit is refused, as sent and decoded', async () => {
    await using world = await startWorld({ limits: { scannedBodyBytes: 1000 } })
    for (const [coding, body] of [
      ['identity', Buffer.alloc(1001, ' ')],
      ['gzip', gzipSync(Buffer.alloc(1001, ' '))],
      ['br', brotliCompressSync(Buffer.alloc(1001, ' '))],
      ['zstd', rawZstd(' '.repeat(995)).subarray(0, 0)],
    ] as const) {
      if (body.length === 0) continue
      const { status } = await ask(world, client, { path: CHAT, headers: { 'content-encoding': coding }, body })
      expect([coding, status]).toEqual([coding, 413])
    }
    expect(world.upstream.connections).toBe(0)
    expect((await ask(world, client, { path: CHAT, body: Buffer.alloc(1000, ' ') })).status).toBe(200)
    expect(world.proxy.counts.bufferedBytes).toBe(0)
  })

  it('bodies that would fill the memory are refused', async () => {
    await using world = await startWorld({ limits: { bufferedBytes: 1000 } })
    const refused = await ask(world, client, { path: CHAT, body: Buffer.alloc(1001, ' ') })
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    expect(world.proxy.counts.bufferedBytes).toBe(0)
    expect((await ask(world, client, { path: CHAT, body: Buffer.alloc(1000, ' ') })).status).toBe(200)
  })

  it.each<[string, () => unknown]>([
    ['throws', () => Promise.reject(new Error('detector died'))],
    [
      'says that it is not available',
      () => Promise.reject(new MitmError('unavailable', 'x', { code: 'pii_ner_unavailable' })),
    ],
    ['never answers', () => new Promise(() => {})],
    ['returns nothing', () => Promise.resolve(undefined)],
    ['returns another thing', () => Promise.resolve({ blocked: 'no', body: Buffer.from('{}') })],
    ['returns a text', () => Promise.resolve({ blocked: false, body: '{}' })],
  ])('a filter that %s is a 503, and nothing is forwarded', async (_name, filter) => {
    await using world = await startWorld({
      filter: { filter } as unknown as BodyFilter,
      limits: { filterMs: 200 },
    })
    for (const path of [CHAT, '/v1/messages']) {
      const reply = await ask(world, client, { path, body: SECRET })
      expect(reply.status).toBe(503)
      expect(JSON.parse(reply.body.toString()).error.type).toBe('pii_ner_unavailable')
      expect(reply.body.toString()).not.toContain('died')
    }
    expect(world.upstream.connections).toBe(0)
  })

  it('a body that the filter cannot read is a 400 in the format of the path', async () => {
    const filter: BodyFilter = {
      filter: () => Promise.reject(new MitmError('invalid_request', 'no JSON', { code: 'json_syntax' })),
    }
    await using world = await startWorld({ filter })
    const chat = await ask(world, client, { path: CHAT, body: 'x', headers: { 'x-correlation-id': 'abc-1' } })
    expect([chat.status, JSON.parse(chat.body.toString())]).toEqual([
      400,
      { error: { code: 400, message: 'no JSON', type: 'invalid_request_error', param: null }, correlation_id: 'abc-1' },
    ])
    const messages = await ask(world, client, { path: '/v1/messages', body: 'x', headers: { 'x-request-id': 'abc-2' } })
    expect(JSON.parse(messages.body.toString())).toEqual({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'no JSON' },
      correlation_id: 'abc-2',
    })
    expect(world.upstream.connections).toBe(0)
  })

  it('nothing goes to the host before the verdict', async () => {
    const asked = createDeferred<void>()
    const verdict = createDeferred<void>()
    const filter: BodyFilter = {
      async filter({ body }) {
        asked.resolve()
        await verdict.promise
        return { blocked: false, body }
      },
    }
    await using world = await startWorld({ filter })
    const reply = ask(world, client, { path: CHAT, body: SECRET })
    await asked.promise
    expect(world.upstream.connections).toBe(0)
    verdict.resolve()
    expect((await reply).status).toBe(200)
    expect(world.upstream.requests.map((request) => request.text())).toEqual([SECRET])
  })

  it('the filter is told that the client has left', async () => {
    const left = createDeferred<unknown>()
    const asked = createDeferred<void>()
    const filter: BodyFilter = {
      filter: (_request, { signal }) => {
        signal.addEventListener('abort', () => left.resolve(signal.reason))
        asked.resolve()
        return new Promise(() => {})
      },
    }
    await using world = await startWorld({ filter })
    const reply = ask(world, client, { path: CHAT, body: SECRET }).catch(() => 'gone')
    await asked.promise
    await world.proxy.close()
    expect(await reply).toBe('gone')
    expect(await left.promise).toMatchObject({ kind: 'cancelled' })
    expect(world.upstream.connections).toBe(0)
  })

  it('other methods on scanned paths, and hosts without a filter, are not scanned', async () => {
    await using world = await startWorld()
    await ask(world, client, { method: 'PUT', path: CHAT, body: SECRET })
    expect(world.upstream.requests[0]?.text()).toBe(SECRET)
    await using open = await startWorld({ policy: { find: () => ({ filter: undefined }) } })
    await ask(open, client, { path: CHAT, body: SECRET, headers: { 'content-encoding': 'odd' } })
    expect(open.upstream.requests[0]?.text()).toBe(SECRET)
  })

  it('changed rules act on the next request of an open connection, and a host off the list keeps its last', async () => {
    let rules: { filter: BodyFilter | undefined } | undefined = { filter: undefined }
    await using world = await startWorld({ policy: { find: () => rules } })
    await ask(world, client, { path: CHAT, body: SECRET })
    rules = { filter: { filter: async () => ({ blocked: true }) } }
    expect((await ask(world, client, { path: CHAT, body: SECRET })).status).toBe(400)
    rules = undefined
    const tunnelled = await ask(world, client, { path: CHAT, body: SECRET }).catch(() => 'not our certificate')
    expect(tunnelled).toBe('not our certificate')
  })

  it.each(['/v1//messages/?beta=true', '/v1/%6Dessages', '/v1/messages;x'])(
    '%s is scanned, and goes on as written',
    async (path) => {
      await using world = await startWorld()
      expect((await ask(world, client, { path, body: '"forbidden"' })).status).toBe(400)
      await ask(world, client, { path, body: SECRET })
      expect(world.upstream.requests.map((request) => [request.path, request.text()])).toEqual([[path, MASKED]])
    },
  )

  it.each(['other.example', 'api.listed.example.evil.example', `user@${LISTED}`, `${LISTED}:1`])(
    'a request for %s is misdirected',
    async (host) => {
      await using world = await startWorld()
      const headers = client === 'h2' ? { ':authority': host } : { host }
      const reply = await ask(world, client, { path: '/v1/models', headers })
      expect(reply.status).toBe(421)
      expect(world.upstream.connections).toBe(0)
    },
  )
})

it('decodes zstd that another program wrote', async ({ skip }) => {
  if (ZSTD === undefined) {
    console.info('not run: the program zstd is missing')
    skip()
    return
  }
  await using world = await startWorld()
  const text = JSON.stringify({ messages: Array.from({ length: 5000 }, (_, index) => `line ${index} secret`) })
  await ask(world, 'h2', { path: CHAT, headers: { 'content-encoding': 'zstd' }, body: ZSTD(text) })
  expect(world.upstream.requests[0]?.text()).toBe(text.replaceAll('secret', '[MASK]'))
})

it('a body is scanned whole, in chunks and split at every byte', async () => {
  await using world = await startWorld()
  const chunks = [...SECRET].map((byte) => `1\r\n${byte}\r\n`)
  const end = '0\r\nx-trailer: y\r\n\r\n'
  const lines = ['transfer-encoding: chunked', 'connection: close']
  const answer = await sendRaw(world, [head(world, lines), ...chunks, end])
  expect(answer).toMatch(/^HTTP\/1.1 200 /)
  const whole = head(world, [`content-length: ${SECRET.length}`, 'connection: close']) + SECRET
  await sendRaw(world, [...whole])
  expect(world.upstream.requests.map((request) => request.text())).toEqual([MASKED, MASKED])
})

it('an answer of 100 goes to a client that waits for it', async () => {
  await using world = await startWorld()
  const tls = await tlsThrough(world.proxy, world.target, { ca: world.authority.certificate })
  tls.write(head(world, ['expect: 100-continue', `content-length: ${SECRET.length}`]))
  const [first] = await once(tls, 'data')
  expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
  tls.write(SECRET)
  const [second] = await once(tls, 'data')
  expect(String(second)).toMatch(/^HTTP\/1.1 200 /)
  expect(world.upstream.requests[0]?.header('expect')).toEqual([])
})

it.each<[string, (world: World) => string]>([
  ['two lengths', (world) => `${head(world, ['content-length: 2', 'content-length: 80'])}{}`],
  ['a length and chunks', (world) => `${head(world, ['content-length: 2', 'transfer-encoding: chunked'])}0\r\n\r\n`],
  ['an unknown transfer coding', (world) => `${head(world, ['transfer-encoding: gzip, chunked'])}0\r\n\r\n`],
  ['chunks behind another coding', (world) => `${head(world, ['transfer-encoding: chunked, identity'])}0\r\n\r\n`],
  ['a length that is not a number', (world) => `${head(world, ['content-length: +2'])}{}`],
  ['a negative length', (world) => `${head(world, ['content-length: -1'])}{}`],
  ['a space before the colon', (world) => `${head(world, ['content-length : 2'])}{}`],
  ['a folded header', (world) => `${head(world, ['content-length: 2', ' x'])}{}`],
  ['a bare line feed', (world) => head(world, ['content-length: 2']).replaceAll('\r\n', '\n')],
  ['two hosts', (world) => `${head(world, ['host: evil.example', 'content-length: 2'])}{}`],
  ['no host', () => `POST ${CHAT} HTTP/1.1\r\ncontent-length: 2\r\n\r\n{}`],
  ['a target of another scheme', (world) => head(world, ['content-length: 0'], 'ftp://x/v1/messages')],
  ['a method in lower case', (world) => head(world, ['content-length: 2']).replace('POST', 'post')],
  ['HTTP/2 in the clear', (world) => head(world, ['connection: upgrade', 'upgrade: h2c', 'http2-settings: AA'])],
  [
    'an upgrade with a body',
    (world) => `${head(world, ['connection: upgrade', 'upgrade: websocket', 'content-length: 2'])}{}`,
  ],
  ['the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['chunk sizes that overflow', (world) => `${head(world, ['transfer-encoding: chunked'])}fffffffffffffffff\r\n`],
  ['CONNECT inside', (world) => `CONNECT ${world.target} HTTP/1.1\r\nhost: ${world.target}\r\n\r\n`],
])('%s is refused, and nothing is forwarded', async (_name, write) => {
  await using world = await startWorld({ limits: { bodyMs: 500, headerMs: 500 } })
  const answer = await sendRaw(world, [write(world), `GET /smuggled HTTP/1.1\r\nhost: ${world.target}\r\n\r\n`])
  expect(answer).toMatch(/^(HTTP\/1.1 4\d\d |$)/)
  expect(answer).not.toContain('HTTP/1.1 200')
  expect(world.upstream.requests).toEqual([])
})

it('pipelined requests are scanned one after the other and answered in order', async () => {
  await using world = await startWorld()
  world.upstream.replyWith((request) => ({ body: `to ${request.text()}` }))
  const one = (body: string, close = '') =>
    head(world, [`content-length: ${body.length}`, ...(close === '' ? [] : [close])]) + body
  const requests = [one('"secret 1"'), one('"forbidden"'), one('"secret 2"', 'connection: close')]
  const answer = await sendRaw(world, [requests.join('')])
  expect([...answer.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status)).toEqual(['200', '400', '200'])
  expect(answer.indexOf('to "[MASK] 1"')).toBeLessThan(answer.indexOf('to "[MASK] 2"'))
  expect(world.upstream.requests.map((request) => request.text())).toEqual(['"[MASK] 1"', '"[MASK] 2"'])
})

it('a body that is shorter than its length is never forwarded', async () => {
  await using world = await startWorld({ limits: { bodyMs: 300 } })
  const answer = await sendRaw(world, [`${head(world, ['content-length: 100'])}{}`])
  expect(answer).toBe('')
  expect(await world.event('traffic')).toMatchObject({ outcome: 'aborted' })
  expect(world.upstream.connections).toBe(0)
})

it('headers that name the old body go when it changes', async () => {
  await using world = await startWorld()
  const digests = { 'content-digest': 'sha-256=:x:', 'repr-digest': 'sha-256=:x:', digest: 'x', 'content-md5': 'x' }
  const headers = { ...digests, 'x-kept': 'y' }
  await ask(world, 'http/1.1', { path: CHAT, headers, body: SECRET })
  await ask(world, 'http/1.1', { path: CHAT, headers, body: '{}' })
  const [changed, same] = world.upstream.requests
  expect(Object.keys(headers).map((name) => changed?.header(name).length)).toEqual([0, 0, 0, 0, 1])
  expect(Object.keys(headers).map((name) => same?.header(name).length)).toEqual([1, 1, 1, 1, 1])
})

it('a TLS name of another host is misdirected, and reported', async () => {
  await using world = await startWorld()
  const options = { ca: world.authority.certificate, servername: 'other.example', insecure: true }
  const tls = await tlsThrough(world.proxy, world.target, options)
  tls.write(`GET / HTTP/1.1\r\nhost: ${world.target}\r\n\r\n`)
  const [answer] = await once(tls, 'data')
  expect(String(answer)).toMatch(/^HTTP\/1.1 421 /)
  expect(await world.event('server-name-mismatch')).toMatchObject({
    serverName: 'other.example',
    listed: false,
    closed: false,
  })
  expect(world.upstream.connections).toBe(0)
})
