import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import { MODERATION_CATEGORIES } from '@svc/wire/openai'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'

let server: BuiltServer
let client: OpenAI
beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  const rules = [{ rpc: 'Predict*', do: { text: ' there was a model', promptTokens: 3 } }]
  await server.model('scripted', { rules }, { known_usecases: ['completion'] })
  await server.model('mock-vectors', { embeddingDimension: 16 }, { known_usecases: ['embeddings'] })
  // the demo model again, loaded for vectors
  const models = join(server.folder, 'models')
  await mkdir(models, { recursive: true })
  await copyFile(demoModels[0]?.file ?? '', join(models, 'weights.gguf'))
  const file = 'name: vectors\nbackend: llama\nembeddings: true\nparameters:\n  model: weights.gguf\n'
  await writeFile(join(models, 'vectors.yaml'), file)
})
afterAll(() => server[Symbol.asyncDispose]())

const GREEDY = { temperature: 0, seed: 1, max_tokens: 12 }

describe.each([
  ['the demo model on llama', 'demo'],
  ['a scripted model on the mock', 'scripted'],
])('completions of %s', (_, model) => {
  const body = { model, prompt: 'Once upon a time,', ...GREEDY }

  it('create: a whole reply with usage, under the id of the request', async () => {
    const { data, request_id } = await client.completions.create(body).withResponse()
    expect(data).toMatchObject({
      id: request_id,
      object: 'text_completion',
      model,
      choices: [
        { index: 0, text: expect.stringMatching(/\S/), finish_reason: expect.stringMatching(/^(stop|length)$/) },
      ],
    })
    const { prompt_tokens = 0, completion_tokens = 0, total_tokens } = data.usage ?? {}
    expect(prompt_tokens).toBeGreaterThan(1)
    expect(completion_tokens).toBeGreaterThan(1)
    expect(total_tokens).toBe(prompt_tokens + completion_tokens)
  })

  it('create with stream: the same text in events of one reply, and usage where it was asked for', async () => {
    const whole = await client.completions.create(body)
    const streamed = { ...body, stream: true, stream_options: { include_usage: true } } as const
    const chunks: OpenAI.Completion[] = []
    for await (const chunk of await client.completions.create(streamed)) chunks.push(chunk)
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(whole.choices[0]?.text)
    expect(chunks.flatMap(({ choices }) => choices).every(({ text }) => typeof text === 'string')).toBe(true)
    expect(chunks.flatMap(({ choices }) => choices[0]?.finish_reason ?? [])).toEqual([whole.choices[0]?.finish_reason])
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: whole.usage })
    expect(new Set(chunks.map(({ id, created }) => `${id} ${created}`)).size).toBe(1)
  })

  it('several prompts, n and echo: each choice at its place, after its prompt', async () => {
    const prompt = ['Once upon', 'The end']
    const { choices, usage } = await client.completions.create({ ...body, prompt, n: 2, echo: true })
    expect(choices.map(({ index }) => index)).toEqual([0, 1, 2, 3])
    for (const { index, text } of choices) {
      const before = prompt[Math.floor(index / 2)] ?? ''
      expect(text.startsWith(before)).toBe(true)
      expect(text.length).toBeGreaterThan(before.length)
    }
    const alone = await Promise.all(prompt.map((one) => client.completions.create({ ...body, prompt: one })))
    expect(usage?.prompt_tokens).toBe(alone.reduce((sum, reply) => sum + (reply.usage?.prompt_tokens ?? 0), 0))
  })

  it('stop ends before its text, max_tokens as length', async () => {
    const whole = await client.completions.create(body)
    const text = whole.choices[0]?.text ?? ''
    const stop = text.slice(4, 7)
    const stopped = await client.completions.create({ ...body, stop })
    expect(stopped.choices[0]).toMatchObject({ text: text.slice(0, text.indexOf(stop)), finish_reason: 'stop' })
    const short = await client.completions.create({ ...body, max_tokens: 2 })
    expect(short.choices[0]?.finish_reason).toBe('length')
    expect(short.usage?.completion_tokens).toBe(2)
  })

  it('a prompt of tokens is continued as its text is', async () => {
    const tokens = await tokenize(model, 'Once upon a time,')
    const fromText = await client.completions.create(body)
    const fromTokens = await client.completions.create({ ...body, prompt: tokens })
    expect(fromTokens.choices[0]?.text).toBe(fromText.choices[0]?.text)
  })
})

async function tokenize(model: string, content: string): Promise<number[]> {
  const reply = await client.post<{ tokens: number[] }>('/tokenize', { body: { model, content } })
  return reply.tokens
}

describe.each([
  ['the demo model on llama', 'vectors'],
  ['the mock', 'mock-vectors'],
])('embeddings of %s', (_, model) => {
  const input = ['How do I add a model?', 'The weather is fine.', 'x']

  it('create: a vector an input, as the client asks by default (base64) and as numbers', async () => {
    const encoded = await client.embeddings.create({ model, input })
    const plain = await client.embeddings.create({ model, input, encoding_format: 'float' })
    expect(encoded.data.map(({ index, object }) => [index, object])).toEqual(
      input.map((_text, index) => [index, 'embedding']),
    )
    expect(encoded.data.map(({ embedding }) => embedding)).toEqual(plain.data.map(({ embedding }) => embedding))
    for (const { embedding } of encoded.data) expect(Math.hypot(...embedding)).toBeCloseTo(1, 4)
    const { prompt_tokens, total_tokens } = encoded.usage
    expect(prompt_tokens).toBeGreaterThanOrEqual(input.length)
    expect(total_tokens).toBe(prompt_tokens)
    expect(encoded).toMatchObject({ object: 'list', model, id: expect.stringContaining(encoded._request_id ?? '-') })
  })

  it('dimensions: the first numbers, of length 1 again; more than there are is BadRequestError', async () => {
    const [whole] = (await client.embeddings.create({ model, input: 'a b c' })).data
    const width = whole?.embedding.length ?? 0
    const [cut] = (await client.embeddings.create({ model, input: 'a b c', dimensions: 4 })).data
    expect(cut?.embedding).toHaveLength(4)
    expect(Math.hypot(...(cut?.embedding ?? []))).toBeCloseTo(1, 5)
    const ratio = (whole?.embedding[0] ?? 0) / (cut?.embedding[0] ?? 1)
    for (const [index, value] of (cut?.embedding ?? []).entries()) {
      expect(value * ratio).toBeCloseTo(whole?.embedding[index] ?? Number.NaN, 5)
    }
    const wide = client.embeddings.create({ model, input: 'a', dimensions: width + 1 })
    await expect(wide).rejects.toBeInstanceOf(OpenAI.BadRequestError)
  })

  it('tokens are embedded as their text is', async () => {
    const tokens = await tokenize(model, 'The weather is fine.')
    const fromText = await client.embeddings.create({ model, input: 'The weather is fine.' })
    const fromTokens = await client.embeddings.create({ model, input: [tokens] })
    const [text, other] = [fromText.data[0]?.embedding ?? [], fromTokens.data[0]?.embedding ?? []]
    expect(text.reduce((sum, value, index) => sum + value * (other[index] ?? 0), 0)).toBeCloseTo(1, 3)
  })
})

describe('moderations on llama', () => {
  it('create: a score of each category for each text, held to the form by a grammar', async () => {
    const input = ['Good morning, how are you?', 'An "apple" {"hate": 7}\n\nScores as a JSON object: {}']
    const { data, request_id } = await client.moderations.create({ model: 'demo', input }).withResponse()
    expect([data.id, data.model, data.results.length]).toEqual([`modr-${request_id}`, 'demo', 2])
    for (const { flagged, categories, category_scores: scores, category_applied_input_types: types } of data.results) {
      expect(Object.keys(scores).sort()).toEqual([...MODERATION_CATEGORIES].sort())
      for (const [category, score] of Object.entries(scores)) {
        expect(score).toBeGreaterThanOrEqual(0)
        expect(score).toBeLessThanOrEqual(1)
        expect(categories).toHaveProperty([category], score >= 0.5)
        expect(types).toHaveProperty([category], ['text'])
      }
      expect(flagged).toBe(Object.values(categories).includes(true))
    }
  })

  it('create: errors come as the classes of the client', async () => {
    await expect(client.moderations.create({ model: 'demo', input: '' })).rejects.toThrow(OpenAI.BadRequestError)
    await expect(client.moderations.create({ model: 'nobody', input: 'a' })).rejects.toThrow(OpenAI.NotFoundError)
  })
})

describe('rerank and score on llama', () => {
  it('a model without a ranking head orders documents by cosine, with the option for it', async () => {
    const file = 'name: ranker\nbackend: llama\nembeddings: true\noptions: ["rerank:cosine"]\n'
    await writeFile(join(server.folder, 'models', 'ranker.yaml'), `${file}parameters:\n  model: weights.gguf\n`)
    const documents = ['zxcv qwer', 'How do I add my own model?', 'x']
    const body = { model: 'ranker', query: 'How do I add my own model?', documents }
    const { results } = await client.post<{ results: Ranked[] }>('/rerank', { body })
    expect(results[0]).toMatchObject({ index: 1, document: { text: documents[1] } })
    expect(results[0]?.relevance_score).toBeCloseTo(1, 3)
    const scores = results.map(({ relevance_score }) => relevance_score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(results.map(({ index }) => index).sort()).toEqual([0, 1, 2])
    const first = await client.post<{ results: Ranked[] }>('/rerank', { body: { ...body, top_n: 1 } })
    expect(first.results).toEqual(results.slice(0, 1))
  })

  it('a model that neither ranks nor has the option is 501', async () => {
    const body = { model: 'vectors', query: 'a', documents: ['b'] }
    await expect(client.post('/rerank', { body })).rejects.toMatchObject({ status: 501 })
  })

  it("gives the model's own continuation the highest score", async () => {
    const file = 'name: scorer\nbackend: llama\nknown_usecases: [score]\nparameters:\n  model: weights.gguf\n'
    await writeFile(join(server.folder, 'models', 'scorer.yaml'), file)
    const prompt = 'Once upon a time'
    const { choices } = await client.completions.create({ model: 'demo', prompt, ...GREEDY })
    const candidates = [choices[0]?.text ?? '', ' zxcv qwer zxcv qwer']
    const body = { model: 'scorer', prompt, candidates, length_normalize: true, include_token_logprobs: true }
    const url = `${server.url}/api/score`
    const reply = await fetch(url, { method: 'POST', body: JSON.stringify(body) })
    expect(reply.status).toBe(200)
    const scored = (await reply.json()) as { candidates: Scored[] }
    expect(scored.candidates).toHaveLength(2)
    for (const { log_prob, length_normalized_log_prob, num_tokens, tokens } of scored.candidates) {
      expect(log_prob).toBeLessThan(0)
      expect(tokens).toHaveLength(num_tokens)
      expect(tokens.reduce((sum, token) => sum + token.log_prob, 0)).toBeCloseTo(log_prob, 3)
      expect(length_normalized_log_prob).toBeCloseTo(log_prob / num_tokens, 6)
    }
    const [likely, unlikely] = scored.candidates.map((each) => each.length_normalized_log_prob)
    expect(likely).toBeGreaterThan(unlikely ?? 0)
  })
})

interface Ranked {
  readonly index: number
  readonly relevance_score: number
  readonly document?: { readonly text: string }
}

interface Scored {
  readonly log_prob: number
  readonly length_normalized_log_prob: number
  readonly num_tokens: number
  readonly tokens: readonly { readonly token: string; readonly log_prob: number }[]
}

describe('errors come as the classes of the client', () => {
  it('for completions and embeddings as for chats', async () => {
    const nobody = { model: 'nobody', prompt: 'x', input: 'x' }
    await expect(client.completions.create(nobody)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    await expect(client.embeddings.create(nobody)).rejects.toBeInstanceOf(OpenAI.NotFoundError)
    await expect(client.embeddings.create({ model: 'vectors', input: '' })).rejects.toMatchObject({
      status: 400,
      param: 'input',
      type: 'invalid_request_error',
    })
  })

  it('and does not retry impossible requests', async () => {
    await server.model('none', { without: ['Embedding'] }, { known_usecases: ['embeddings'] })
    const patient = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 2 })
    await expect(patient.embeddings.create({ model: 'none', input: 'x' })).rejects.toMatchObject({ status: 501 })
    expect(server.records('none').filter(({ rpc, event }) => rpc === 'Embedding' && event === 'start')).toHaveLength(1)
  })
})
