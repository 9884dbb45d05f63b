import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { TINY_EMBEDDING_SIZE, writeTinyEmbedder, writeTinyNer, writeTinyRanker } from '@svc/test-kit'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { verifies } from '../spec/verifies.ts'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_THREADS: '1' } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const models = join(server.folder, 'models')
  await writeTinyEmbedder(join(models, 'vectors'), { maxTokens: 16 })
  await writeTinyRanker(join(models, 'pairs'))
  await writeTinyNer(join(models, 'people'), { maxTokens: 24 })
})
afterAll(() => server[Symbol.asyncDispose]())

async function writeModel(name: string, keys: string, folder: string): Promise<void> {
  const text = `name: ${name}\n${keys}\nparameters:\n  model: ${folder}\n`
  await writeFile(join(server.folder, 'models', `${name}.yaml`), text)
}

interface Ranked {
  readonly index: number
  readonly relevance_score: number
}

describe('encoders from model folders', () => {
  verifies('model-file:backend:encoders', 'each of their names starts the encoder backend', async () => {
    for (const backend of ['onnx', 'transformers', 'sentencetransformers', 'privacy-filter', 'rerankers']) {
      await writeModel(backend, `backend: ${backend}\nknown_usecases: [embeddings]`, 'vectors')
      const { data } = await client.embeddings.create({ model: backend, input: 'hello', encoding_format: 'float' })
      expect(data[0]?.embedding).toHaveLength(TINY_EMBEDDING_SIZE)
    }
  })

  it('embeddings have length 1, come in order and count their tokens', async () => {
    await writeModel('vectors', 'backend: onnx\nembeddings: true', 'vectors')
    const input = ['red apple', 'the river', 'red apple']
    const { data, usage } = await client.embeddings.create({ model: 'vectors', input, encoding_format: 'float' })
    expect(data.map(({ index }) => index)).toEqual([0, 1, 2])
    for (const { embedding } of data) expect(Math.hypot(...embedding)).toBeCloseTo(1, 5)
    expect(data[0]?.embedding).toEqual(data[2]?.embedding)
    expect(data[0]?.embedding).not.toEqual(data[1]?.embedding)
    expect(usage.prompt_tokens).toBe(3 * 4)
  })

  it('a text that is too long is refused with both figures, never cut', async () => {
    await writeModel('vectors', 'backend: onnx\nembeddings: true', 'vectors')
    const input = 'hello '.repeat(20)
    await expect(client.embeddings.create({ model: 'vectors', input })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/22 tokens.*up to 16/),
    })
  })

  it.each([
    ['a model that reads both texts at once', 'pairs', 'backend: rerankers'],
    ['vectors, with the option for it', 'vectors', 'backend: onnx\nembeddings: true\noptions: ["rerank:cosine"]'],
  ])('documents are ranked by %s', async (_, folder, keys) => {
    await writeModel(`rank-${folder}`, keys, folder)
    const documents = ['the blue river', 'red apple', 'stone and bread', 'the apple']
    const body = { model: `rank-${folder}`, query: 'a red apple', documents }
    const { results } = await client.post<{ results: Ranked[] }>('/rerank', { body })
    expect(results.map(({ index }) => index).slice(0, 2)).toEqual([1, 3])
    expect(results).toHaveLength(4)
    const first = await client.post<{ results: Ranked[] }>('/rerank', { body: { ...body, top_n: 1 } })
    expect(first.results).toEqual(results.slice(0, 1))
  })

  it('a folder that is not a model fails with its fault but without its path', async () => {
    await writeModel('nothing', 'backend: onnx\nembeddings: true', 'nowhere')
    const failure = await client.embeddings.create({ model: 'nothing', input: 'a' }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(OpenAI.APIError)
    expect(String(failure)).toContain('nowhere: no such folder or file')
    expect(String(failure)).not.toContain(server.folder)
  })
})

describe('a token classifier as a detector of private text', () => {
  const detector =
    'backend: onnx\nknown_usecases: [token_classify]\npii_detection: {min_score: 0.5, default_action: mask}'

  async function ask(path: string, text: string, name: string): Promise<Response> {
    return fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify({ text, detectors: [name] }) })
  }

  it('finds people, places and mail addresses with their byte offsets, in texts of any length', async () => {
    await writeModel('people', detector, 'people')
    const text = `${'hello world 👩‍👩‍👧 '.repeat(40)}José Müller, mail alice@example.com from 東京`
    const analysis = (await (await ask('/api/pii/analyze', text, 'people')).json()) as {
      entities: { entity_type: string; start: number; end: number }[]
    }
    const bytes = Buffer.from(text)
    expect(
      analysis.entities.map(({ entity_type, start, end }) => [entity_type, bytes.toString('utf8', start, end)]),
    ).toEqual([
      ['PER', 'José Müller'],
      ['EMAIL', 'alice@example.com'],
      ['LOC', '東京'],
    ])
    const redacted = await ask('/api/pii/redact', 'José Müller lives in Zürich', 'people')
    expect(await redacted.json()).toMatchObject({ redacted_text: '[REDACTED:ner:PER] lives in [REDACTED:ner:LOC]' })
  })

  it('that cannot be loaded fails closed', async () => {
    await writeModel('nobody', detector, 'nowhere')
    const reply = await ask('/api/pii/redact', 'José Müller', 'nobody')
    expect([reply.status, await reply.text()]).toEqual([503, expect.stringContaining('pii_ner_unavailable')])
  })
})
