import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { type InterceptionWorld, LISTED, OTHER, startInterception } from '../support/interception-world.ts'
import { verifies } from './verifies.ts'

const SECRET = 'secret-1234'
const MASK = '[REDACTED:SECRET_001]'
const PII = { enabled: true, detectors: ['secrets', 'forbidden'], reversible_redactions: true }
const json = { 'content-type': 'application/json' }

/** Paths with a request of their format. */
const PATHS: readonly (readonly [path: string, body: (text: string) => object])[] = [
  ['/v1/responses', (text) => ({ model: 'm', instructions: 'Be short', input: [{ role: 'user', content: text }] })],
  ['/v1/responses', (text) => ({ model: 'm', input: text })],
  ['/v1/completions', (text) => ({ model: 'm', prompt: ['a', text] })],
  ['/v1/embeddings', (text) => ({ model: 'm', input: [text, 'b'] })],
  [
    '/v1/messages/count_tokens',
    (text) => ({ model: 'm', system: 'Be short', messages: [{ role: 'user', content: text }] }),
  ],
  [
    '/openai/deployments/gpt/chat/completions?api-version=1',
    (text) => ({ messages: [{ role: 'user', content: text }] }),
  ],
]
const ENTRIES = [
  '/v1/responses',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/messages/count_tokens',
  '/openai/deployments/*/chat/completions',
]

let world: InterceptionWorld
beforeAll(async () => {
  world = await startInterception()
  await world.patterns('secrets', { SECRET: 'secret-[0-9]{4}' })
  await world.patterns('forbidden', { FORBIDDEN: 'forbidden' }, 'block')
  await write('guard', { hosts: ['*.Listed.example'], paths: ENTRIES })
})
afterAll(() => world[Symbol.asyncDispose]())
beforeEach(() => world.upstream.replyWith({ headers: json, body: '{}' }))

const write = (name: string, mitm: object): Promise<void> =>
  world.server.writeModelFile(`${name}.yaml`, stringify({ name, mitm, pii: PII }))
const post = (path: string, body: object, more: Parameters<InterceptionWorld['ask']>[1] = {}) =>
  world.ask({ path, headers: json, body: JSON.stringify(body) }, more)

describe('paths of `mitm.paths`', () => {
  verifies('mitm:paths:more', 'are filtered as their ends say, restored, and refused in their form', async () => {
    for (const [path, body] of PATHS) {
      const first = world.upstream.requests.length
      world.upstream.replyWith({ headers: json, body: JSON.stringify({ output: MASK, n: 1 }) })
      const reply = await post(path, body(SECRET))
      expect([path, world.upstream.requests[first]?.text()]).toEqual([path, JSON.stringify(body(MASK))])
      const output = path === '/v1/embeddings' ? MASK : SECRET
      expect([path, reply.status, JSON.parse(reply.body.toString())]).toEqual([path, 200, { output, n: 1 }])
      const refused = await post(path, body('a forbidden word'))
      const { type, error } = JSON.parse(refused.body.toString())
      expect([path, refused.status, error.type]).toEqual([path, 400, 'pii_blocked'])
      expect([path, type]).toEqual([path, path.includes('messages') ? 'error' : undefined])
      if (path === '/v1/responses') expect(error).toMatchObject({ code: '', param: '' })
      expect([path, (await world.ask({ path, headers: json, body: 'no JSON' })).status]).toEqual([path, 400])
      expect(world.upstream.requests).toHaveLength(first + 1)
    }
  })

  it('have their streams restored', async () => {
    const deltas = (field: string, wrap: (text: string) => object) =>
      [MASK.slice(0, 9), MASK.slice(9)]
        .map((text) => `event: ${field}\ndata: ${JSON.stringify(wrap(text))}\n\n`)
        .join('')
    const streams = [
      [
        '/v1/responses',
        deltas('response.output_text.delta', (delta) => ({
          type: 'response.output_text.delta',
          item_id: 'i',
          output_index: 0,
          content_index: 0,
          delta,
        })),
      ],
      ['/v1/completions', deltas('message', (text) => ({ choices: [{ index: 0, text }] }))],
    ] as const
    for (const [path, stream] of streams) {
      world.upstream.replyWith({ headers: { 'content-type': 'text/event-stream' }, body: stream })
      const reply = await post(path, { prompt: SECRET, input: SECRET, stream: true })
      const texts = [...reply.body.toString().matchAll(/"(?:delta|text)":"([^"]*)"/g)].map(([, text]) => text)
      expect([path, texts.join('')]).toEqual([path, SECRET])
    }
  })

  verifies('mitm:paths:unread', 'are in the status, with the usual ones that pass unread', async () => {
    await write('other', { hosts: [OTHER], paths: ['/v1/responses'] })
    await world.server.writeModelFile(
      'open.yaml',
      stringify({ name: 'open', mitm: { hosts: ['open.example'] }, pii: { enabled: false } }),
    )
    const usual = ['/v1/chat/completions', '/v1/messages']
    expect((await world.status()).hosts).toMatchObject([
      { host: '*.listed.example', filtered: true, scanned_paths: [...usual, ...ENTRIES], unread_paths: [] },
      { host: 'open.example', filtered: false, scanned_paths: [], unread_paths: [...usual, ...ENTRIES.slice(0, 4)] },
      {
        host: OTHER,
        scanned_paths: [...usual, '/v1/responses'],
        unread_paths: ['/v1/completions', '/v1/embeddings', '/v1/messages/count_tokens'],
      },
    ])
    const first = world.upstream.requests.length
    await post('/v1/embeddings', { input: SECRET }, { host: OTHER })
    await post('/v1/responses', { input: SECRET }, { host: OTHER })
    const [embeddings, responses] = world.upstream.requests.slice(first)
    expect([embeddings?.text(), responses?.text()]).toEqual([
      JSON.stringify({ input: SECRET }),
      JSON.stringify({ input: MASK }),
    ])
  })
})

describe('patterns of hosts', () => {
  verifies('mitm:hosts:patterns', 'intercept hosts that fit; several models unite', async () => {
    const hosts = async () =>
      (await world.events('?kind=proxy_connect')).map(({ host, intercepted }) => [host, intercepted])
    await write('exact', { hosts: [LISTED.toUpperCase()], paths: [] })
    const { hosts: listed, host_conflicts: conflicts, models } = await world.status()
    expect(listed.find(({ host }) => host === LISTED)?.models).toEqual(['exact', 'guard'])
    expect(conflicts).toContainEqual({ host: LISTED, models: ['exact', 'guard'] })
    expect(models.find(({ name }) => name === 'exact')?.hosts).toEqual([LISTED])
    const first = world.upstream.requests.length
    await post('/v1/responses', { input: SECRET })
    expect(world.upstream.requests[first]?.text()).toBe(JSON.stringify({ input: MASK }))
    expect(await hosts()).toContainEqual([LISTED, true])
  })
})

describe('entries that can match nothing', () => {
  const BAD: readonly (readonly [mitm: object, key: string])[] = [
    [{ hosts: ['api.one.example', 'https://api.two.example'] }, 'mitm.hosts[1]'],
    [{ hosts: ['api.one.example:443'] }, 'mitm.hosts[0]'],
    [{ hosts: [''] }, 'mitm.hosts[0]'],
    [{ hosts: ['*'] }, 'mitm.hosts[0]'],
    [{ hosts: ['api.*'] }, 'mitm.hosts[0]'],
    [{ hosts: ['10.0.0.0/8'] }, 'mitm.hosts[0]'],
    [{ hosts: ['169.254.169.254'] }, 'mitm.hosts[0]'],
    [{ hosts: ['a.example'], paths: ['v1/responses'] }, 'mitm.paths[0]'],
    [{ hosts: ['a.example'], paths: ['/v1/responses', '/v1/audio/speech'] }, 'mitm.paths[1]'],
    [{ hosts: ['a.example'], paths: ['/v1/responses?x'] }, 'mitm.paths[0]'],
  ]

  verifies(
    'mitm:entries:refused',
    'are refused by the API with their line, and ignored in a file on disk',
    async () => {
      await write('mended', { hosts: ['fine.example'] })
      const before = await readFile(join(world.server.modelsPath, 'mended.yaml'), 'utf8')
      for (const [mitm, key] of BAD) {
        const reply = await world.server.call('/api/models/config-json/mended', {
          method: 'PATCH',
          headers: json,
          body: JSON.stringify({ mitm }),
        })
        expect([key, reply.status, reply.text]).toEqual([key, 400, expect.stringContaining(key)])
      }
      expect(await readFile(join(world.server.modelsPath, 'mended.yaml'), 'utf8')).toBe(before)
      expect((await world.status()).hosts.map(({ host }) => host)).toContain('fine.example')
      await write('mended', { hosts: ['kept.example', 'https://lost.example'], paths: ['/v1/responses', '/v1/files'] })
      const { hosts } = await world.status()
      expect(hosts.find(({ host }) => host === 'kept.example')?.scanned_paths).toContain('/v1/responses')
      expect(hosts.map(({ host }) => host).join()).not.toContain('lost')
      expect(world.server.logLines.join('')).toContain('mitm.hosts[1]')
    },
  )
})
