import { ollamaChatReply, ollamaEmbedReply, ollamaGenerateReply } from '@svc/wire/ollama'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bodyWith, listScannedPaths, type ScannedRoute } from '../support/scanned-routes.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import { verifies } from './verifies.ts'

const DETECTOR = { known_usecases: ['token_classify'], pinned: true }
const ALL = ['chat', 'completion', 'edit', 'embeddings', 'rerank', 'tokenize']

/** Invalid answers of a detector: text of the request, and the entities in the answer. */
const GARBAGE: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'before the text': { entityGroup: 'X', start: -1, end: 3, score: 0.9 },
  'beyond the text': { entityGroup: 'X', start: 0, end: 100_000, score: 0.9 },
  'turned round': { entityGroup: 'X', start: 5, end: 2, score: 0.9 },
  'empty span': { entityGroup: 'X', start: 2, end: 2, score: 0.9 },
  'no group': { entityGroup: '', start: 0, end: 3, score: 0.9 },
}

/** The routes of §6.3. */
const SPECIFIED = [
  '/v1/chat/completions',
  '/v1/messages',
  '/v1/completions',
  '/v1/embeddings',
  '/v1/edits',
  '/v1/responses',
  '/api/chat',
  '/api/generate',
  '/api/embed',
]

let server: TestServer
let paths: [string, ScannedRoute][]

beforeAll(async () => {
  server = await startTestServer()
  paths = listScannedPaths(server)
  await server.model(
    'ner',
    {
      rules: [
        { rpc: 'TokenClassify', contains: 'fail now', do: { failure: { status: 'INTERNAL', message: 'fail now' } } },
        { rpc: 'TokenClassify', contains: 'die now', do: { delayMs: 20, crash: { how: 'kill' } } },
        { rpc: 'TokenClassify', contains: 'hang now', do: { hang: true } },
        {
          rpc: 'TokenClassify',
          contains: '\u{1f600}',
          do: { answer: { entities: [{ entityGroup: 'X', start: 1, end: 4, score: 0.9 }] } },
        },
        ...Object.entries(GARBAGE).map(([contains, entity]) => ({
          rpc: 'TokenClassify',
          contains,
          do: { answer: { entities: [entity] } },
        })),
      ],
    },
    { ...DETECTOR, pii_detection: { entity_actions: { LOCATION: 'block' } } },
  )
  await server.model('m', {}, { known_usecases: ALL, pinned: true, pii: { enabled: true, detectors: ['ner'] } })
  await server.model('untold', {}, { known_usecases: ALL, pii: { enabled: true, detectors: ['nobody'] } })
  await server.model('never', {}, { known_usecases: ALL, pii: { enabled: true, detectors: ['ner'] } })
})
afterAll(() => server.close())

/** Gives the requests of a model since its load. */
function asked(model: string): string {
  const calls = server.records(model).filter(({ rpc }) => rpc !== 'LoadModel')
  return JSON.stringify(calls.map(({ request }) => request ?? ''))
}

function send([path, route]: [string, ScannedRoute], model: string, text: string) {
  return server.post(path, { model, ...bodyWith(route, text) })
}

/** Expects a refusal in the words of the route's format, without any other content. */
async function expectUnavailable(entry: [string, ScannedRoute], model: string, text: string): Promise<void> {
  const reply = await send(entry, model, text)
  expect([entry[0], text.slice(-20), reply.status, reply.text]).toEqual([
    entry[0],
    text.slice(-20),
    503,
    expect.stringContaining('"pii_ner_unavailable"'),
  ])
  expect(reply.text).not.toContain('@host')
}

describe('the table of routes', () => {
  verifies(
    [
      'pii:route:chat',
      'pii:route:messages',
      'pii:route:completions',
      'pii:route:embeddings',
      'pii:route:edits',
      'pii:route:responses',
      'pii:route:ollama-chat',
      'pii:route:ollama-generate',
      'pii:route:ollama-embed',
      'pii:mask:placeholder',
    ],
    'each scanned route masks findings, under each of its paths',
    async () => {
      expect(paths.map(([path]) => path)).toEqual(expect.arrayContaining(SPECIFIED))
      for (const [index, entry] of paths.entries()) {
        const reply = await send(entry, 'm', `mail ada@host.example from ${index}.`)
        expect([entry[0], reply.status, reply.text]).toEqual([entry[0], 200, expect.any(String)])
        expect([entry[0], asked('m').includes(`mail [REDACTED:ner:EMAIL] from ${index}.`)]).toEqual([entry[0], true])
      }
      expect(asked('m')).not.toContain('@host')
    },
  )

  verifies(
    ['pii:block:status', 'pii:block:nothing-forwarded'],
    'each refuses blocked text with 400, and the model is not even loaded',
    async () => {
      for (const entry of paths) {
        const reply = await send(entry, 'never', 'ada@host.example is in Paris')
        expect([entry[0], reply.status, reply.text]).toEqual([entry[0], 400, expect.stringContaining('"pii_blocked"')])
        expect(reply.text).not.toMatch(/@host|Paris/)
      }
      expect(server.records('never')).toEqual([])
    },
  )

  verifies(
    ['ollama:route:chat', 'ollama:route:generate', 'ollama:route:embed'],
    'routes of the alternate ecosystem answer a filtered request in their own format',
    async () => {
      const schemas = {
        '/api/chat': ollamaChatReply,
        '/api/generate': ollamaGenerateReply,
        '/api/embed': ollamaEmbedReply,
      }
      for (const [path, schema] of Object.entries(schemas)) {
        const entry = paths.find(([each]) => each === path)
        if (entry === undefined) throw new Error(`${path} is not scanned`)
        const reply = await send(entry, 'm', 'mail ada@host.example in the format of its own')
        expect([path, reply.status, schema.safeParse(reply.json()).error]).toEqual([path, 200, undefined])
        const refused = await send(entry, 'm', 'in Paris')
        expect([path, refused.status, refused.json()]).toMatchObject([
          path,
          400,
          { error: expect.any(String), type: 'pii_blocked' },
        ])
      }
      expect(asked('m').split('mail [REDACTED:ner:EMAIL] in the format of its own').length).toBeGreaterThan(3)
    },
  )

  verifies('pii:route:not-filtered', 'routes that rank, tokenize and moderate are not filtered', async () => {
    const routes = server.server.routes.filter(({ usecase, scanned, scannedWhen = 'always' }) => {
      return usecase !== undefined && (scanned === false || scannedWhen !== 'always')
    })
    expect(routes.map(({ path }) => path)).toEqual(expect.arrayContaining(['/v1/rerank']))
    const documents = ['Paris', 'ada@host.example']
    const reply = await server.post('/v1/rerank', { model: 'm', query: 'Rome', documents })
    expect(reply.status).toBe(200)
    expect(asked('m')).toContain('ada@host.example')
  })
})

describe('a detector that does not work', () => {
  verifies(
    'pii:detectors:unavailable',
    'and cannot be loaded refuses the requests of every route with 503',
    async () => {
      for (const entry of paths) await expectUnavailable(entry, 'untold', 'ada@host.example')
      expect(server.records('untold')).toEqual([])
    },
  )

  it('but fails refuses them too', async () => {
    for (const entry of paths) await expectUnavailable(entry, 'never', 'ada@host.example fail now')
    expect(server.records('never')).toEqual([])
  })

  verifies('pii:detectors:bad-span', 'but reports spans that cannot be refuses them too', async () => {
    for (const entry of paths) {
      for (const name of Object.keys(GARBAGE)) {
        await expectUnavailable(entry, 'never', `ada@host.example ${name}`)
      }
      // The span begins or ends inside a character of four bytes.
      await expectUnavailable(entry, 'never', '\u{1f600} ada@host.example')
    }
    expect(server.records('never')).toEqual([])
  })

  it('but dies between two pieces of a long text refuses them too', async () => {
    // The paths of a route share everything, and each of these checks starts the detector again.
    for (const entry of new Map(paths.map((each) => [each[1].path, each])).values()) {
      await expectUnavailable(
        entry,
        'never',
        `ada@host.example ${'long enough for several pieces '.repeat(120)}die now`,
      )
    }
    expect(server.records('never')).toEqual([])
  })

  it('but takes longer than ten seconds refuses them too', async () => {
    await Promise.all(paths.map((entry) => expectUnavailable(entry, 'never', 'ada@host.example hang now')))
    expect(server.records('never')).toEqual([])
  })

  it('leaves an event for each request it refused', async () => {
    const reply = await server.call('/api/pii/events?pattern_id=__ner_unavailable__&limit=1000')
    const { events } = reply.json() as { events: Record<string, unknown>[] }
    expect(events.length).toBeGreaterThan(paths.length * (Object.keys(GARBAGE).length + 3))
    expect(events.every(({ action, origin }) => action === 'block' && origin === 'middleware')).toBe(true)
    expect(server.logLines.join('')).not.toContain('@host')
  })
})
