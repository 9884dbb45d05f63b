import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'
import type { RawReply } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

const messages = [{ role: 'user', content: 'Hello there' }]
const LONG = `${'word '.repeat(40)}zebra`
const embeds = { known_usecases: ['embeddings'], embeddings: true }

let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
  await server.model('m', { rules: [{ rpc: 'Predict*', do: { text: 'Hi' } }] })
  await server.model('r', {}, { known_usecases: ['rerank'] })
  // Refuses a long text, as backends of others do.
  const rules = [
    { rpc: 'Embedding', contains: 'zebra', do: { failure: { status: 'INTERNAL', message: 'input is too large' } } },
  ] as const
  await server.model('e', { rules, embeddingDimension: 8 }, { ...embeds, context_size: 12 })
  await server.model('unmeasured', { rules, embeddingDimension: 8, without: ['Capabilities'] }, embeds)
})

afterAll(async () => {
  await server[Symbol.asyncDispose]()
})

interface Asked {
  readonly Seed?: number
  readonly Tools?: string
  readonly Messages?: readonly { readonly content: string }[]
  readonly Prompt?: string
  readonly Embeddings?: string
  readonly Metadata?: Readonly<Record<string, string>>
  readonly Images?: readonly string[]
}

/** Sends a request, and gives its reply and the requests that the backend got for it. */
async function send(
  path: string,
  body: { readonly model: string; readonly [field: string]: unknown },
): Promise<{ readonly reply: RawReply; readonly asked: readonly Asked[] }> {
  const asked = () =>
    server
      .records(body.model)
      .filter(({ rpc, event }) => event === 'start' && /^(Predict|PredictStream|Embedding|TokenizeString)$/.test(rpc))
  const before = asked().length
  const reply = await server.post(path, body)
  const requests = asked().slice(before)
  return { reply, asked: requests.map(({ request }) => request as Asked) }
}

describe('seeds', () => {
  const seeds = [2 ** 53, 2 ** 53 + 2, 2 ** 63, 2 ** 64, -(2 ** 63), 4_294_967_296 + 7, -1, 0]
  verifies('chat:request:seed', 'of any size are taken, and the same seed reaches the backend again', async () => {
    for (const seed of seeds) {
      const { reply, asked } = await send('/v1/chat/completions', { model: 'm', messages, seed, n: 2 })
      expect([seed, reply.status]).toEqual([seed, 200])
      const again = await send('/v1/chat/completions', { model: 'm', messages, seed, n: 2 })
      const got = asked.map(({ Seed }) => Seed)
      if (seed !== -1) expect(again.asked.map(({ Seed }) => Seed)).toEqual(got)
      expect(new Set(got).size, `${seed}: both choices`).toBe(2)
    }
  })

  it.each<[string, object]>([
    ['/v1/completions', { prompt: 'x', seed: 2 ** 63 }],
    ['/v1/edits', { input: 'x', instruction: 'y', seed: 2 ** 63 }],
    ['/v1/responses', { input: 'x', seed: 2 ** 63 }],
    ['/api/chat', { messages, stream: false, options: { seed: 2 ** 63 } }],
    ['/api/generate', { prompt: 'x', stream: false, options: { seed: 2 ** 63 } }],
  ])('are taken on %s', async (path, body) => {
    expect((await send(path, { model: 'm', ...body })).reply.status).toBe(200)
  })
})

describe('parts of the responses format in a chat', () => {
  verifies('chat:content:foreign-parts', 'are read as the parts of the chat format', async () => {
    const content = [
      { type: 'input_text', text: 'Hello ' },
      { type: 'text', text: 'there' },
      { type: 'output_text', text: '!' },
    ]
    const { reply, asked } = await send('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content }] })
    expect(reply.status).toBe(200)
    expect(JSON.stringify(asked)).toContain('Hello there!')
    const image = [{ type: 'input_image', image_url: 'nowhere' }]
    const refused = await send('/v1/chat/completions', { model: 'm', messages: [{ role: 'user', content: image }] })
    expect(refused.reply.json()).toMatchObject({
      error: { param: expect.stringMatching(/^messages\[0\]\.content\[0\]/) },
    })
  })
})

describe('tools that a vendor runs', () => {
  const own = { name: 'weather', parameters: { type: 'object', properties: {} } }
  const nested = { type: 'function', function: own }
  const input = { name: own.name, input_schema: own.parameters }
  const routes: readonly (readonly [path: string, body: object, own: object, hosted: readonly string[]])[] = [
    ['/v1/chat/completions', { messages }, nested, ['web_search', 'code_interpreter', 'web_search_preview']],
    ['/v1/chat/completions', { messages, stream: true }, nested, ['image_generation']],
    ['/v1/responses', { input: 'Hi' }, { type: 'function', ...own }, ['web_search', 'computer_use_preview', 'custom']],
    ['/v1/responses/input_tokens', { input: 'Hi' }, { type: 'function', ...own }, ['local_shell']],
    ['/v1/messages', { messages, max_tokens: 9 }, input, ['web_search_20250305', 'bash_20250124']],
    ['/v1/messages/count_tokens', { messages }, input, ['code_execution_20250825']],
    ['/api/chat', { messages, stream: false }, nested, ['web_search']],
  ]

  verifies('chat:tools:hosted', 'are left out with a warning on every route', async () => {
    for (const [path, body, tool, hosted] of routes) {
      const others = hosted.map((type) => ({ type, name: type }))
      const { reply, asked } = await send(path, { model: 'm', ...body, tools: [...others, tool] })
      expect([path, reply.status, reply.headers['x-svc-warning']]).toEqual([
        path,
        200,
        `tools_left_out: tools that this server does not run are left out: ${hosted.join(', ')}`,
      ])
      const tools = JSON.parse(asked[0]?.Tools ?? '[]') as { function: { name: string } }[]
      expect(tools.map((one) => one.function.name)).toEqual(['weather'])
      const alone = await send(path, { model: 'm', ...body, tools: others })
      expect([path, alone.reply.status, alone.asked[0]?.Tools ?? '']).toEqual([path, 200, ''])
    }
  })

  verifies('chat:tools:not-here', 'of the types mcp and file_search are refused by name', async () => {
    for (const [path, body, tool] of routes.filter((route) => !route[0].startsWith('/v1/responses'))) {
      for (const type of ['mcp', 'file_search']) {
        const { reply, asked } = await send(path, { model: 'm', ...body, tools: [tool, { type, name: type }] })
        expect([path, reply.status, asked]).toEqual([path, 400, []])
        expect(reply.text).toContain(`tools[1].type: tools of the type ${type} run in /v1/responses only`)
      }
    }
    const toolset = { type: 'mcp_toolset', mcp_server_name: 'x' }
    const { reply } = await send('/v1/chat/completions', { model: 'm', messages, tools: [toolset] })
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('mcp_toolset run in /v1/messages only')])
  })

  it('cannot be the one that must be called', async () => {
    const tools = [{ type: 'web_search' }]
    for (const tool_choice of ['required', { type: 'web_search' }]) {
      const { reply } = await send('/v1/responses', { model: 'm', input: 'Hi', tools, tool_choice })
      expect([reply.status, reply.json()]).toMatchObject([
        400,
        { error: { param: expect.stringMatching(/^tool_choice/) } },
      ])
    }
  })
})

describe('documents without text in a rerank', () => {
  verifies('inference:rerank:empty-document', 'come last, and no backend reads them', async () => {
    const query = 'red apples'
    const documents = ['', 'green pears', ' \n', 'red apples', { text: '' }]
    const { results, usage } = (await server.post('/v1/rerank', { model: 'r', query, documents })).json() as {
      results: { index: number; relevance_score: number; document: { text: string } }[]
      usage: { total_tokens: number }
    }
    expect(results.map(({ index, relevance_score }) => [index, relevance_score])).toEqual([
      [3, 1],
      [1, 0],
      [0, 0],
      [2, 0],
      [4, 0],
    ])
    expect(results[3]?.document).toEqual({ text: ' \n' })
    expect(usage.total_tokens).toBe(6)
    const best = (await server.post('/v1/rerank', { model: 'r', query, documents, top_n: 3 })).json()
    expect(best).toMatchObject({ results: [{ index: 3 }, { index: 1 }, { index: 0 }] })
    const calls = server.records('r').filter(({ rpc, event }) => rpc === 'Rerank' && event === 'start')
    expect(calls.map(({ request }) => (request as { documents: string[] }).documents)).toEqual([
      ['green pears', 'red apples'],
      ['green pears', 'red apples'],
    ])
    const none = await server.post('/v1/rerank', { model: 'r', query, documents: ['', ' '] })
    expect(none.json()).toMatchObject({ results: [{ index: 0 }, { index: 1 }], usage: { total_tokens: 0 } })
  })
})

describe('texts to embed that are longer than the context', () => {
  const routes = [
    ['/api/embed', { input: LONG }, 'embeddings'],
    ['/api/embed', { input: ['short', LONG] }, 'embeddings'],
    ['/api/embed', { prompt: LONG, truncate: null }, 'embeddings'],
    ['/api/embeddings', { prompt: LONG }, 'embedding'],
  ] as const

  verifies('ollama:embed:truncate', 'lose their end, unless the request says truncate: false', async () => {
    for (const [path, body, key] of routes) {
      const { reply, asked } = await send(path, { model: 'e', ...body })
      expect([path, reply.status]).toEqual([path, 200])
      expect((reply.json() as Record<string, unknown[]>)[key]?.length).toBeGreaterThan(0)
      const embedded = asked.filter(({ Embeddings = '' }) => Embeddings !== '')
      expect(embedded.every(({ Metadata }) => Metadata?.truncate === 'true')).toBe(true)
      expect(embedded.at(-1)?.Embeddings?.trim()).toBe('word '.repeat(8).trim())
      const whole = await send(path, { model: 'e', ...body, truncate: false })
      expect([path, whole.reply.status >= 400]).toEqual([path, true])
      expect(whole.asked.filter(({ Embeddings = '' }) => Embeddings === LONG)).toHaveLength(1)
      expect(whole.asked.some(({ Metadata }) => Metadata?.truncate !== undefined)).toBe(false)
    }
  })

  it('are refused as before where the context is not known, and by the compatible route', async () => {
    expect((await send('/api/embed', { model: 'unmeasured', input: LONG })).reply.text).toContain('too large')
    expect((await send('/v1/embeddings', { model: 'e', input: LONG })).reply.status).toBeGreaterThanOrEqual(400)
  })
})
