import { brotliCompressSync, gzipSync } from 'node:zlib'
import { type BodyFilter, MitmError } from '@svc/mitm'
import { filterBody } from '@svc/pii'
import { createDetector } from '@svc/pii/detectors'
import { createSseRestorer, restoreJsonBody } from '@svc/pii/reversible'
import { findCanaries, makeCanary } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { ask, startWorld } from './world.ts'

const detector = createDetector({ name: 'test', settings: { builtins: ['email', 'codehost_token'] } })

/** The filter of private text with tokens, as a server would build it. */
const filter: BodyFilter = {
  async filter({ body, format }) {
    const filtered = await filterBody(body, { format, detectors: [detector], reversible: {} })
    if (filtered.blocked) return { blocked: true }
    const { tokens } = filtered
    if (tokens === undefined || format === 'embeddings') return { blocked: false, body: filtered.body }
    return {
      blocked: false,
      body: filtered.body,
      restorer: {
        restoreBody: (bytes) => restoreJsonBody(tokens, bytes),
        startStream: () => createSseRestorer(format, tokens),
      },
    }
  },
}

const PAIRINGS = [
  ['http/1.1', 'https'],
  ['http/1.1', 'h2'],
  ['h2', 'https'],
  ['h2', 'h2'],
] as const
const CHAT = '/v1/chat/completions'
const PRIVATE =
  '{"x-new":1.0,"messages":[{"role":"user","content":"mail ada@lab.example or bob@lab.example"}],"n":12345678901234567890,"n":1}'

/** The first token in a body. */
const findToken = (body: string): string => /\[REDACTED:[^\]]*\]/.exec(body)?.[0] ?? 'no token'
const chat = (content: string) => JSON.stringify({ choices: [{ index: 0, message: { role: 'assistant', content } }] })
const event = (content: string) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`

describe.each(PAIRINGS)('a client of %s and a host of %s', (client, protocol) => {
  it('restores a whole reply, and leaves the rest of the request as it was', async () => {
    await using world = await startWorld({ protocol, filter })
    const ofTheOldBody = { etag: 'x', digest: 'x', 'content-digest': 'x', 'content-md5': 'x', 'repr-digest': 'x' }
    world.upstream.replyWith((request) => ({
      headers: { 'content-type': 'application/json; charset=utf-8', ...ofTheOldBody },
      body: chat(`write to ${findToken(request.text())}`),
    }))
    const reply = await ask(world, client, { path: CHAT, headers: { 'accept-encoding': 'gzip, br' }, body: PRIVATE })
    expect(reply.body.toString()).toBe(chat('write to ada@lab.example'))
    expect(reply.headers['content-length']).toBe(String(reply.body.length))
    expect(Object.keys(ofTheOldBody).filter((name) => name in reply.headers)).toEqual([])
    const [request] = world.upstream.requests
    expect(request?.header('accept-encoding')).toEqual(['identity'])
    expect(request?.text()).not.toContain('@lab.example')
    expect(request?.text()).toMatch(/^\{"x-new":1\.0,.*"n":12345678901234567890,"n":1\}$/)
  })

  it('restores a stream the same at every cut', async () => {
    await using world = await startWorld({ protocol, filter })
    const texts = new Set<string>()
    let cut = 0
    let size = 1
    world.upstream.replyWith((request) => {
      const stream = `${event(`to ${findToken(request.text())}.`)}data: [DONE]\n\n`
      size = stream.length
      return {
        headers: { 'content-type': 'text/event-stream' },
        body: [stream.slice(0, cut), stream.slice(cut)].filter((part) => part !== ''),
      }
    })
    for (; cut < size; cut += 1) {
      const reply = await ask(world, client, { path: CHAT, body: PRIVATE })
      texts.add(reply.body.toString())
    }
    expect([...texts]).toEqual([`${event('to ada@lab.example.')}data: [DONE]\n\n`])
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('restores a reply that comes in %s all the same', async (coding, encode) => {
    await using world = await startWorld({ protocol, filter })
    world.upstream.replyWith((request) => ({
      headers: { 'content-type': 'application/json', 'content-encoding': coding },
      body: encode(chat(findToken(request.text()))),
    }))
    const reply = await ask(world, client, { path: CHAT, body: PRIVATE })
    expect([reply.body.toString(), reply.headers['content-encoding']]).toEqual([chat('ada@lab.example'), undefined])
  })

  it('leaves a reply byte for byte when nothing was masked', async () => {
    await using world = await startWorld({ protocol, filter })
    const body = gzipSync('{ "choices" : [ ] }')
    world.upstream.replyWith({
      headers: { 'content-type': 'application/json', 'content-encoding': 'gzip', etag: 'x' },
      body,
    })
    const reply = await ask(world, client, {
      path: CHAT,
      headers: { 'accept-encoding': 'gzip' },
      body: '{"messages":[]}',
    })
    expect([reply.body.equals(body), reply.headers.etag, reply.headers['content-encoding']]).toEqual([
      true,
      'x',
      'gzip',
    ])
    expect(world.upstream.requests[0]?.header('accept-encoding')).toEqual(['gzip'])
  })

  it('leaves replies of other types, and those that it cannot decode', async () => {
    await using world = await startWorld({ protocol, filter })
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/json', 'content-encoding': 'odd' },
    ]) {
      world.upstream.replyWith((request) => ({ headers, body: findToken(request.text()) }))
      const reply = await ask(world, client, { path: CHAT, body: PRIVATE })
      expect(reply.body.toString()).toMatch(/^\[REDACTED:/)
    }
  })

  it('a cut reply is cut for the client, whole and streamed', async () => {
    await using world = await startWorld({ protocol, filter })
    for (const type of ['application/json', 'text/event-stream']) {
      world.upstream.replyWith({ headers: { 'content-type': type }, body: [event('x')], end: 'cut' })
      await expect(ask(world, client, { path: CHAT, body: PRIVATE })).rejects.toThrow()
    }
  })

  it('no private text reaches the host, in either format and wherever it stands', async () => {
    const canary = makeCanary('mail', { plain: true })
    const address = `${canary.value}@lab.example`
    await using world = await startWorld({ protocol, filter })
    const bodies: readonly (readonly [string, unknown])[] = [
      [CHAT, { messages: [{ role: 'user', content: address }] }],
      [
        CHAT,
        { messages: [{ role: 'user', content: [{ type: 'text', text: address }] }], unknown: { deep: [address] } },
      ],
      [CHAT, { messages: [], tools: [{ function: { description: address } }], [address]: 1 }],
      [
        CHAT,
        {
          messages: [{ role: 'assistant', tool_calls: [{ function: { arguments: JSON.stringify({ to: address }) } }] }],
        },
      ],
      ['/v1/messages', { system: address, messages: [{ role: 'user', content: [{ type: 'text', text: address }] }] }],
      ['/v1/messages', { messages: [{ role: 'user', content: [{ type: 'tool_result', content: address }] }] }],
    ]
    for (const [path, body] of bodies) {
      expect((await ask(world, client, { path, body: JSON.stringify(body) })).status).toBe(200)
    }
    expect(world.upstream.requests).toHaveLength(bodies.length)
    for (const request of world.upstream.requests) expect(findCanaries(request.text(), [canary])).toEqual([])
  })

  it('a body that is not JSON is a 400, and nothing is forwarded', async () => {
    await using world = await startWorld({ protocol, filter })
    for (const body of ['', 'plain text', '{"a":1', '[1,]']) {
      expect([body, (await ask(world, client, { path: CHAT, body })).status]).toEqual([body, 400])
    }
    expect(world.upstream.connections).toBe(0)
  })
})

it('a reply too large to hold goes out with its tokens', async () => {
  const small: BodyFilter = {
    filter: async ({ body }) => ({
      blocked: false,
      body,
      restorer: {
        restoreBody: () => {
          throw new MitmError('internal', 'not reached')
        },
        startStream: () => ({ push: (bytes) => [bytes], end: () => [] }),
      },
    }),
  }
  await using world = await startWorld({ filter: small, limits: { scannedBodyBytes: 1000 } })
  const body = JSON.stringify({ text: 'x'.repeat(5000) })
  world.upstream.replyWith({ headers: { 'content-type': 'application/json' }, body })
  for (const client of ['http/1.1', 'h2'] as const) {
    expect((await ask(world, client, { path: CHAT, body: '{}' })).body.toString()).toBe(body)
  }
  expect(world.proxy.counts.bufferedBytes).toBe(0)
})

it('a restorer that fails cuts the reply', async () => {
  const failing: BodyFilter = {
    filter: async ({ body }) => ({
      blocked: false,
      body,
      restorer: {
        restoreBody: () => {
          throw new Error('broken')
        },
        startStream: () => ({
          push: () => {
            throw new Error('broken')
          },
          end: () => [],
        }),
      },
    }),
  }
  await using world = await startWorld({ filter: failing })
  for (const type of ['application/json', 'text/event-stream']) {
    world.upstream.replyWith({ headers: { 'content-type': type }, body: '{}' })
    for (const client of ['http/1.1', 'h2'] as const) {
      await expect(ask(world, client, { path: CHAT, body: '{}' })).rejects.toThrow()
    }
  }
})
