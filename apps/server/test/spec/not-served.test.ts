import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../support/server.ts'

const messages = [{ role: 'user', content: 'Hello' }]
let server: TestServer

beforeAll(async () => {
  server = await startTestServer()
  await server.model('a-real-one', { rules: [{ rpc: 'Predict*', do: { text: 'Hello to you' } }] })
  const files = {
    speaking: 'pipeline: {llm: a-real-one, tts: a-real-one}\n',
    nothing: 'description: nothing\nknown_usecases: [chat]\n',
    patterns: 'backend: pattern\npii_detection: {builtins: [email]}\nknown_usecases: [chat]\n',
  }
  for (const [name, text] of Object.entries(files))
    await server.writeModelFile(`${name}.yaml`, `name: ${name}\n${text}`)
})
afterAll(() => server.close())

describe('a model without a server behind it', () => {
  it.each([
    ['speaking', 'pipeline'],
    ['nothing', 'neither a backend nor weights'],
    ['patterns', 'PII detector'],
  ])('%s is listed, and its requests are refused', async (model, text) => {
    const listed = (await server.call('/v1/models')).json() as { data: { id: string }[] }
    expect(listed.data.map(({ id }) => id)).toContain(model)
    for (const stream of [false, true]) {
      const reply = await server.post('/v1/chat/completions', { model, messages, stream })
      expect([reply.status, reply.json()]).toMatchObject([400, { error: { message: expect.stringContaining(text) } }])
    }
    for (const [path, body] of [
      ['/v1/embeddings', { input: 'x' }],
      ['/v1/messages', { max_tokens: 5, messages }],
      ['/v1/responses', { input: 'x' }],
      ['/api/chat', { messages }],
      ['/v1/tokenize', { content: 'x' }],
    ] as const) {
      expect((await server.post(path, { model, ...body })).status, path).toBe(400)
    }
  })

  it('is never the default of a route', async () => {
    const reply = await server.post('/v1/chat/completions', { messages })
    expect([reply.status, reply.json()]).toMatchObject([200, { model: 'a-real-one' }])
  })
})

it('settings that are refused keep their value', async () => {
  const shown = (await server.call('/api/settings')).json() as Record<string, unknown>
  expect((await server.post('/api/settings', shown)).status).toBe(200)
  for (const patch of [{ agent_pool_collection_db_path: 'x' }]) {
    const [key] = Object.keys(patch)
    const reply = await server.post('/api/settings', patch)
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(`${key} cannot be had: collections are`)])
  }
})
