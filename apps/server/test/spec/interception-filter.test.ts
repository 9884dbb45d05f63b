import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readRecords } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type InterceptionWorld, LISTED, OTHER, startInterception } from '../support/interception-world.ts'
import { verifies } from './verifies.ts'

const SECRET = 'secret-größe-1234'
const MATCH = 'secret-[^ -]{3,8}-[0-9]{4}'
const TOKEN = '[REDACTED:SECRET_001]'
const MASK = '[REDACTED:pattern:SECRET]'

/** The two scanned formats: a request, and a whole and a streamed reply that repeats a text. */
const FORMATS = [
  {
    path: '/v1/chat/completions',
    body: (content: string, stream = false) =>
      `{"model":"gpt", "messages":[{"role":"user","content":${JSON.stringify(content)}}],"stream":${stream},"n":1e400}`,
    whole: (text: string) =>
      `{"id":"c", "choices":[{"index":0,"message":{"role":"assistant","content":${JSON.stringify(text)}}}],"big":1e400}`,
    streamed: (pieces: readonly string[]) =>
      [
        ...pieces.map((content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`),
        'data: [DONE]\n\n',
      ].join(''),
  },
  {
    path: '/v1/messages',
    body: (content: string, stream = false) =>
      JSON.stringify({ model: 'claude', max_tokens: 5, messages: [{ role: 'user', content }], stream }),
    whole: (text: string) =>
      `{"type":"message", "content":[{"type":"text","text":${JSON.stringify(text)}}],"big":1e400}`,
    streamed: (pieces: readonly string[]) =>
      `${pieces
        .map(
          (text) =>
            `event: content_block_delta\ndata: ${JSON.stringify({
              type: 'content_block_delta',
              index: 0,
              delta: { type: 'text_delta', text },
            })}\n\n`,
        )
        .join('')}event: message_stop\ndata: {"type":"message_stop"}\n\n`,
  },
] as const

/** Joins the texts of a streamed reply. */
function readStream(body: Buffer): string {
  return [...body.toString().matchAll(/"(?:content|text)":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text = '""']) => String(JSON.parse(text)))
    .join('')
}

const json = { 'content-type': 'application/json' }

describe.each(['https', 'h2'] as const)('intercepted requests for a host of %s', (protocol) => {
  let world: InterceptionWorld
  beforeAll(async () => {
    world = await startInterception({ protocol })
    await world.patterns('secrets', { SECRET: MATCH })
    await world.patterns('forbidden', { FORBIDDEN: 'forbidden' }, 'block')
    await world.claims('guard', [LISTED], { enabled: true, detectors: ['secrets', 'forbidden'] })
  })
  afterAll(() => world[Symbol.asyncDispose]())
  beforeEach(() => world.upstream.replyWith({ headers: json, body: '{}' }))

  describe.each(['http/1.1', 'h2'] as const)('from a client of %s', (client) => {
    verifies(
      [
        'mitm:body:scanned',
        'pii:route:intercepted',
        'mitm:connect:intercepted',
        'mitm:alpn:h2',
        'model-file:mitm:hosts',
      ],
      'are masked in both formats, and unchanged elsewhere',
      async () => {
        for (const { path, body } of FORMATS) {
          const first = world.upstream.requests.length
          const text = `Hello ${SECRET}, 🙂`
          const reply = await world.ask({ path, headers: json, body: body(text) }, { protocol: client })
          expect([reply.status, reply.body.toString()]).toEqual([200, '{}'])
          expect(world.upstream.requests[first]?.text()).toBe(body(text.replace(SECRET, MASK)))
          expect(world.upstream.requests[first]?.path).toBe(path)
        }
      },
    )

    verifies('mitm:block:status', 'are refused with 400 in the form of their path, and nothing goes on', async () => {
      const before = world.upstream.requests.length
      for (const { path, body } of FORMATS) {
        const id = `mine-${client.slice(-1)}-${path.length}`
        const headers = { ...json, 'x-correlation-id': id }
        const reply = await world.ask({ path, headers, body: body('a forbidden word') }, { protocol: client })
        const shown = JSON.parse(reply.body.toString())
        const [event, ...more] = await world.events(`?correlation_id=${id}&kind=pii`)
        expect([event, more]).toMatchObject([
          { origin: 'proxy', action: 'block', pattern_id: 'pattern:FORBIDDEN', byte_offset: 2, length: 9 },
          [],
        ])
        expect([reply.status, shown]).toMatchObject([
          400,
          { error: { type: 'pii_blocked' }, correlation_id: id, pii_event_id: event?.id },
        ])
        expect(shown.type).toBe(path === '/v1/messages' ? 'error' : undefined)
        expect(reply.body.toString()).not.toContain('forbidden')
      }
      expect(world.upstream.requests).toHaveLength(before)
    })

    verifies('mitm:body:others', 'to other paths go on as they came', async () => {
      const body = `{"a": "${SECRET} forbidden", "a":1e999 , "b":[ ]}`
      for (const [method, path] of [
        ['POST', '/v1/embeddings'],
        ['PUT', '/v1/chat/completions'],
        ['POST', '/v1/messages/batches?x=%2F'],
      ] as const) {
        const first = world.upstream.requests.length
        const reply = await world.ask({ method, path, headers: json, body }, { protocol: client })
        expect(reply.status).toBe(200)
        const [request] = world.upstream.requests.slice(first)
        expect([request?.method, request?.path, request?.text()]).toEqual([method, path, body])
      }
    })

    it('that are no JSON are refused', async () => {
      const before = world.upstream.requests.length
      for (const { path } of FORMATS) {
        for (const body of ['', 'model=x', '[1]', '{"messages":[', `{"messages":"${SECRET}"}x`]) {
          const reply = await world.ask({ path, headers: json, body }, { protocol: client })
          expect([body, reply.status]).toEqual([body, 400])
        }
      }
      expect(world.upstream.requests).toHaveLength(before)
    })
  })
})

describe('values that are masked with tokens', () => {
  verifies('mitm:reply:stream-filter', 'are restored in whole and streamed replies, cut anywhere', async () => {
    await using world = await startInterception()
    await world.patterns('secrets', { SECRET: MATCH })
    await world.claims('guard', [LISTED], { enabled: true, detectors: ['secrets'], reversible_redactions: true })
    const said = `Say ${TOKEN}, not [REDACTED:SECRET_002].`
    const restored = said.replace(TOKEN, SECRET)
    for (const { path, body, whole, streamed } of FORMATS) {
      for (const protocol of ['http/1.1', 'h2'] as const) {
        world.upstream.enqueue({ headers: json, body: whole(said) })
        const reply = await world.ask({ path, headers: json, body: body(`I am ${SECRET}`) }, { protocol })
        expect(reply.body.toString()).toBe(whole(restored))
        expect(world.upstream.requests.at(-1)?.text()).toBe(body(`I am ${TOKEN}`))
      }
      for (let cut = 1; cut < said.length; cut++) {
        const pieces = [said.slice(0, cut), said.slice(cut)]
        world.upstream.enqueue({ headers: { 'content-type': 'text/event-stream' }, body: streamed(pieces) })
        const reply = await world.ask({ path, headers: json, body: body(`I am ${SECRET}`, true) })
        expect(readStream(reply.body)).toBe(restored)
      }
    }
  })

  it('of another request are not restored, and without tokens replies are the same bytes', async () => {
    await using world = await startInterception()
    await world.patterns('secrets', { SECRET: MATCH })
    await world.claims('guard', [LISTED], { enabled: true, detectors: ['secrets'], reversible_redactions: true })
    for (const { path, body, whole } of FORMATS) {
      await world.ask({ path, headers: json, body: body(`I am ${SECRET}`) })
      world.upstream.enqueue({ headers: json, body: whole(TOKEN) })
      const reply = await world.ask({ path, headers: json, body: body('Who am I?') })
      expect(reply.body.toString()).toBe(whole(TOKEN))
    }
  })
})

describe('the policy of a host', () => {
  it('with its filter off leaves requests as they are, also what is not JSON', async () => {
    await using world = await startInterception()
    await world.patterns('secrets', { SECRET: MATCH })
    await world.claims('guard', [LISTED], { enabled: false, detectors: ['secrets'] })
    for (const body of [FORMATS[0].body(SECRET), `no json ${SECRET}`]) {
      expect((await world.ask({ path: FORMATS[0].path, body })).status).toBe(200)
      expect(world.upstream.requests.at(-1)?.text()).toBe(body)
    }
    expect((await world.status()).hosts).toMatchObject([
      { host: LISTED, models: ['guard'], detectors: [], filtered: false },
    ])
  })

  verifies('mitm:conflict:union', 'that two models list has the detectors of both, and shows it', async () => {
    await using world = await startInterception()
    await world.patterns('secrets', { SECRET: MATCH })
    await world.patterns('names', { NAME: 'Ada' })
    await world.claims('one', [LISTED.toUpperCase()], { enabled: true, detectors: ['secrets'] })
    await world.claims('two', [`${LISTED}.`, OTHER], { enabled: true, detectors: ['names'] })
    await world.claims('off', [LISTED], { enabled: false })
    await world.ask({ path: FORMATS[0].path, body: FORMATS[0].body(`Ada has ${SECRET}`) })
    expect(world.upstream.requests.at(-1)?.text()).toBe(FORMATS[0].body(`[REDACTED:pattern:NAME] has ${MASK}`))
    expect(await world.status()).toMatchObject({
      host_owners: { [LISTED]: 'off', [OTHER]: 'two' },
      host_conflicts: [{ host: LISTED, models: ['off', 'one', 'two'] }],
      hosts: [
        { host: LISTED, models: ['off', 'one', 'two'], detectors: ['secrets', 'names'], filtered: true },
        { host: OTHER, models: ['two'], detectors: ['names'], filtered: true },
      ],
    })
    expect(world.server.logLines.join('')).toContain('several models list an intercepted host')
  })

  it('refuses media where it says so', async () => {
    await using world = await startInterception()
    await world.claims('guard', [LISTED], { enabled: true, block_unscanned_media: true })
    const content = [{ type: 'image_url', image_url: { url: 'https://pictures.example/1.png' } }]
    const body = JSON.stringify({ messages: [{ role: 'user', content }] })
    const reply = await world.ask({ path: FORMATS[0].path, body })
    expect([reply.status, JSON.parse(reply.body.toString())]).toMatchObject([400, { error: { type: 'pii_blocked' } }])
    expect(world.upstream.requests).toHaveLength(0)
    expect(await world.events('?kind=pii')).toMatchObject([{ pattern_id: '__unscanned_media__', origin: 'proxy' }])
  })

  verifies(
    'mitm:connect:default-hosts',
    'is that of the instance for two hosts of providers while no model lists any',
    async () => {
      await using world = await startInterception({ env: { SVC_PII_DEFAULT_DETECTORS: 'secrets' } })
      await world.patterns('secrets', { SECRET: MATCH })
      const cases = [
        ['api.openai.com', FORMATS[0]],
        ['api.anthropic.com', FORMATS[1]],
      ] as const
      for (const [host, { path, body }] of cases) {
        expect((await world.ask({ path, body: body(SECRET) }, { host })).status).toBe(200)
        expect(world.upstream.requests.at(-1)?.text()).toBe(body(MASK))
      }
      expect((await world.status()).hosts).toMatchObject(
        cases.map(([host]) => ({ host, models: [], detectors: ['secrets'], filtered: true })),
      )
      await world.claims('guard', [LISTED], { enabled: true })
      expect((await world.status()).hosts.map(({ host }) => host)).toEqual([LISTED])
      const [[host, { path, body }]] = cases
      await world.ask({ path, body: body(SECRET) }, { host, ca: world.upstreamCa.cert })
      expect(world.upstream.requests.at(-1)?.text()).toBe(body(SECRET))
    },
  )

  it('follows the detectors of the instance', async () => {
    await using world = await startInterception()
    await world.patterns('secrets', { SECRET: MATCH })
    await world.claims('guard', [LISTED], { enabled: true })
    const { path, body } = FORMATS[0]
    await world.ask({ path, body: body(SECRET) })
    expect(world.upstream.requests.at(-1)?.text()).toBe(body(SECRET))
    await world.server.post('/api/settings', { pii_default_detectors: ['secrets'] })
    await world.ask({ path, body: body(SECRET) })
    expect(world.upstream.requests.at(-1)?.text()).toBe(body(MASK))
  })
})

describe('a detector that fails', () => {
  verifies('pii:route:intercepted', 'lets nothing through: 503 in the form of the path', async () => {
    await using world = await startInterception()
    await world.server.model(
      'dying',
      { rules: [{ rpc: 'TokenClassify', do: { delayMs: 20, crash: { how: 'kill' } } }] },
      {
        known_usecases: ['token_classify'],
        pii_detection: {},
      },
    )
    await world.claims('killed', [LISTED], { enabled: true, detectors: ['dying'] })
    await world.claims('missing', [OTHER], { enabled: true, detectors: ['nobody'] })
    for (const { path, body } of FORMATS) {
      for (const host of [LISTED, OTHER]) {
        for (const protocol of ['http/1.1', 'h2'] as const) {
          const reply = await world.ask({ path, headers: json, body: body('Hello') }, { host, protocol })
          expect([host, reply.status, JSON.parse(reply.body.toString())]).toMatchObject([
            host,
            503,
            { error: { type: 'pii_ner_unavailable' } },
          ])
          expect(reply.headers['retry-after']).toBeDefined()
        }
      }
    }
    expect(world.upstream.requests).toHaveLength(0)
    expect(readRecords(join(world.server.folder, 'records', 'dying')).length).toBeGreaterThan(0)
    expect((await world.events('?kind=pii&origin=proxy'))[0]).toMatchObject({ pattern_id: '__ner_unavailable__' })
  })

  it('is asked again once it works', async () => {
    await using world = await startInterception()
    await world.claims('guard', [LISTED], { enabled: true, detectors: ['secrets'] })
    const { path, body } = FORMATS[0]
    expect((await world.ask({ path, body: body(SECRET) })).status).toBe(503)
    await world.patterns('secrets', { SECRET: MATCH })
    expect((await world.ask({ path, body: body(SECRET) })).status).toBe(200)
    expect(world.upstream.requests.map((request) => request.text())).toEqual([body(MASK)])
  })
})

it('nothing of a request is in logs and events', async () => {
  await using world = await startInterception()
  await world.patterns('secrets', { SECRET: MATCH })
  await world.claims('guard', [LISTED], { enabled: true, detectors: ['secrets'], reversible_redactions: true })
  const { path, body, whole } = FORMATS[0]
  world.upstream.replyWith({ headers: json, body: whole(TOKEN) })
  await world.ask({ path: `${path}?key=hidden`, headers: { authorization: 'Bearer hidden' }, body: body(SECRET) })
  const events = await eventually(async () => {
    const found = await world.events()
    expect(found.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['proxy_connect', 'proxy_traffic', 'pii']))
    return found
  })
  expect(JSON.stringify(events)).not.toMatch(/secret-|hidden/)
  expect(world.server.logLines.join('')).not.toMatch(/secret-|hidden/)
  expect(await readFile(join(world.server.folder, 'data', 'mitm-ca', 'ca.key'), 'utf8')).toContain('PRIVATE KEY')
})
