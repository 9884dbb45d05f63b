import { existsSync } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPython, titled } from './python.ts'
import { joinText, type PythonHost, startPythonHost } from './python-client.ts'
import { isRunning } from './world.ts'

const python = findPython()
const path = python.missing === undefined ? python.path : ''
const manifest = createRequire(import.meta.url).resolve('@svc/backend-llama/package.json')
/** The published build, as it runs for users. */
const command = [process.execPath, join(dirname(manifest), 'dist/main.js')]
const weights = demoModels.find(({ name }) => name === 'demo')?.file ?? ''
const TOKEN = 'a token of this test'

const load = {
  Model: 'demo',
  ModelFile: weights,
  ModelPath: dirname(weights),
  ContextSize: 512,
  Threads: 1,
  MMap: true,
  EnableScore: true,
}
const chat = {
  UseTokenizerTemplate: true,
  Messages: [{ role: 'user', content: 'Hello!' }],
  Tokens: 24,
  ModelIdentity: 'demo',
}

let host: PythonHost
let slots = ''
const call = (...args: Parameters<PythonHost['call']>): ReturnType<PythonHost['call']> => host.call(...args)

async function reply(
  rpc: string,
  request: Readonly<Record<string, unknown>>,
): Promise<Readonly<Record<string, unknown>>> {
  const { replies, code, details } = await call({ rpc, request })
  expect(code, details).toBeUndefined()
  return replies[0] ?? {}
}

describe.skipIf(python.missing)(titled('the llama backend under a host in Python', python), () => {
  beforeAll(async () => {
    expect(existsSync(command[1] ?? ''), 'run npm test, which builds first').toBe(true)
    slots = await mkdtemp(join(tmpdir(), 'svc-test-'))
    host = await startPythonHost(path, command, { token: TOKEN })
  })
  afterAll(async () => {
    await host?.[Symbol.asyncDispose]()
    await rm(slots, { recursive: true, force: true })
  })

  it('is healthy, for its token alone', async () => {
    expect(await call({ rpc: 'Health' })).toEqual({ replies: [{ message: 'T0s=' }] })
    for (const token of [null, `${TOKEN} `]) {
      for (const rpc of ['Health', 'PredictStream']) {
        expect(await call({ rpc, token })).toMatchObject({ replies: [], code: 'UNAUTHENTICATED' })
      }
    }
  })

  it('reports missing functions before a model is loaded', async () => {
    expect(await call({ rpc: 'Predict', request: chat })).toMatchObject({
      code: 'FAILED_PRECONDITION',
      details: expect.stringContaining('model not loaded'),
    })
    const refused = await reply('LoadModel', { ...load, ModelFile: join(dirname(weights), 'missing.gguf') })
    expect(refused).toEqual({ message: expect.stringMatching(/./) })
    expect(await isRunning(host.backendPid)).toBe(true)
  })

  it('loads the demo model and says so', async () => {
    const Options = ['parallel:2', `--slot-save-path:${slots}`]
    expect(await reply('LoadModel', { ...load, Options })).toMatchObject({ success: true })
    const status = await reply('Status', {})
    expect(status.state).toBe('READY')
    expect(Number(Reflect.get(Object(status.memory), 'total'))).toBeGreaterThan(0)
  })

  it('gives the same answer whole and streamed at temperature 0', async () => {
    const whole = await reply('Predict', chat)
    const text = joinText([whole])
    expect(text).toMatch(/\p{L}/u)
    expect(whole.tokens).toBeGreaterThan(1)
    expect(whole.prompt_tokens).toBeGreaterThan(1)
    const stream = await call({ rpc: 'PredictStream', request: chat })
    expect(stream.code).toBeUndefined()
    expect(joinText(stream.replies)).toBe(text)
    expect(stream.replies.length).toBeGreaterThan(1)
    const counts = stream.replies.map(({ tokens }) => Number(tokens ?? 0))
    expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(stream.replies.at(-1)).toMatchObject({ tokens: whole.tokens, prompt_tokens: whole.prompt_tokens })
  })

  it('ends a stream that is cancelled and goes on answering', async () => {
    const endless = { ...chat, IgnoreEOS: true, Tokens: 400 }
    const cancelled = await call({ rpc: 'PredictStream', request: endless, take: 2 })
    expect(cancelled.code).toBe('CANCELLED')
    expect(joinText([await reply('Predict', chat)])).toMatch(/\p{L}/u)
  })

  it('takes a prompt as it is, stops before a stop text, and counts', async () => {
    const tokens = await reply('TokenizeString', { Prompt: 'Hello there' })
    expect(tokens.length).toBe(Object(tokens.tokens).length)
    const prompt = { Prompt: 'Hello there', Tokens: 3 }
    expect(await reply('Predict', prompt)).toMatchObject({ tokens: 3 })
    const text = joinText([await reply('Predict', chat)])
    const stop = text.split(' ')[1] ?? ''
    const stopped = joinText([await reply('Predict', { ...chat, StopPrompts: [stop] })])
    expect(stopped).toBe(text.slice(0, text.indexOf(stop)))
  })

  it('serves its own model only', async () => {
    for (const rpc of ['Predict', 'PredictStream', 'TokenizeString', 'Embedding']) {
      expect(await call({ rpc, request: { ModelIdentity: 'another' } }), rpc).toMatchObject({
        code: 'NOT_FOUND',
        details: expect.stringContaining('model identity mismatch'),
      })
    }
  })

  it('takes text apart and puts it together again', async () => {
    const { tokens } = await reply('TokenizeString', { Prompt: 'naïve 😀 words' })
    expect(await reply('Detokenize', { tokens })).toEqual({ content: expect.stringContaining('naïve 😀 words') })
  })

  it('scores candidates by their tokens', async () => {
    const { candidates } = await reply('Score', {
      prompt: 'Hello! How are',
      candidates: [' you', ' zebra crossings'],
      length_normalize: true,
      include_token_logprobs: true,
    })
    for (const candidate of candidates as Record<string, unknown>[]) {
      const tokens = candidate.tokens as { log_prob: number }[]
      const sum = tokens.reduce((total, token) => total + token.log_prob, 0)
      expect(candidate.log_prob).toBeLessThan(0)
      expect(candidate.num_tokens).toBe(tokens.length)
      expect(candidate.log_prob).toBeCloseTo(sum, 4)
      expect(candidate.length_normalized_log_prob).toBeCloseTo(sum / tokens.length, 4)
    }
  })

  it('keeps to a grammar, and tells log-probabilities', async () => {
    const Grammar = 'root ::= "yes" | "no"'
    expect(joinText([await reply('Predict', { ...chat, Grammar })])).toMatch(/^(yes|no)$/)
    const { logprobs, message } = await reply('Predict', { ...chat, Tokens: 4, Logprobs: 1, TopLogprobs: 2 })
    const { content } = JSON.parse(Buffer.from(String(logprobs), 'base64').toString()) as {
      content: { token: string; logprob: number; top_logprobs: unknown[] }[]
    }
    expect(content).toHaveLength(4)
    for (const entry of content) {
      expect(entry.logprob).toBeLessThanOrEqual(0)
      expect(entry.top_logprobs).toHaveLength(2)
    }
    expect(content.map(({ token }) => token).join('')).toContain(joinText([{ message }]).trim())
  })

  it("saves a slot's prompt and reads it back, through our own service", async () => {
    const ours = { service: 'svc.backend.v1.Extensions' }
    const path = join(slots, 'slot.bin')
    await reply('Predict', chat)
    const saved = await call({ ...ours, rpc: 'SaveSlot', request: { slot: 0, path } })
    expect(saved.code, saved.details).toBeUndefined()
    const { tokens, bytes } = saved.replies[0] ?? {}
    expect(Number(tokens)).toBeGreaterThan(0)
    expect(Number(bytes)).toBe((await stat(path)).size)
    const restored = await call({ ...ours, rpc: 'RestoreSlot', request: { slot: 0, path } })
    expect(restored.replies[0]).toMatchObject({ tokens, bytes })
  })

  it('answers yes or no by probabilities, through our own service', async () => {
    const questions = ['code', 'weather'].map((id) => ({ id, instruction: `Is the text about ${id}?` }))
    const request = { document: 'It will rain tomorrow.', questions }
    const { replies, code, details } = await call({ service: 'svc.backend.v1.Extensions', rpc: 'Decide', request })
    expect(code, details).toBeUndefined()
    const answers = replies[0]?.answers as { id: string; probability: number }[]
    expect(answers.map(({ id }) => id)).toEqual(['code', 'weather'])
    for (const { probability } of answers) {
      expect(probability).toBeGreaterThanOrEqual(0)
      expect(probability).toBeLessThanOrEqual(1)
    }
  })

  it('does not know functions that it lacks', async () => {
    for (const rpc of ['TTS', 'GenerateImage', 'VAD', 'StoresGet'])
      expect((await call({ rpc })).code).toBe('UNIMPLEMENTED')
  })

  it('describes itself through our own service', async () => {
    const answer = await call({ service: 'svc.backend.v1.Extensions', rpc: 'Capabilities' })
    expect(answer.replies[0]).toMatchObject({
      backend: 'llama',
      rpcs: expect.arrayContaining(['Health', 'LoadModel', 'Predict', 'PredictStream', 'TokenizeString']),
    })
  })

  it('lets its model go by Free and takes it again', async () => {
    expect(await reply('Free', {})).toMatchObject({ success: true })
    expect((await call({ rpc: 'Predict', request: chat })).code).toBe('FAILED_PRECONDITION')
    expect(await reply('LoadModel', load)).toMatchObject({ success: true })
    expect(joinText([await reply('Predict', chat)])).toMatch(/\p{L}/u)
  })

  it('ends by TERM with code 0', async () => {
    expect(await host.stop()).toBe(0)
  })
})

describe.skipIf(python.missing)(titled('the llama backend as a maker of vectors', python), () => {
  it('embeds and ranks by likeness', async () => {
    await using embedder = await startPythonHost(path, command)
    const request = { ...load, Embeddings: true, EnableScore: false, Options: ['rerank:cosine'] }
    const loaded = await embedder.call({ rpc: 'LoadModel', request })
    expect(loaded.replies, loaded.details).toMatchObject([{ success: true }])
    const [vector] = (await embedder.call({ rpc: 'Embedding', request: { Embeddings: 'Hello there' } })).replies
    const values = vector?.embeddings as number[]
    expect(values).toHaveLength(Number(vector?.dim))
    expect(vector).toMatchObject({ layout: 'EMBEDDING_LAYOUT_FINAL', tokens: 1 })
    expect(Math.hypot(...values)).toBeCloseTo(1, 3)
    const documents = ['a tree', 'Hello there']
    const ranked = await embedder.call({ rpc: 'Rerank', request: { query: 'Hello there', documents } })
    expect(ranked.code, ranked.details).toBeUndefined()
    const [best] = (ranked.replies[0]?.results ?? []) as Record<string, unknown>[]
    expect(best).toMatchObject({ index: 1, text: 'Hello there' })
    expect(best?.relevance_score).toBeCloseTo(1, 2)
  })
})

describe.skipIf(python.missing)(titled('the parent watch of the llama backend', python), () => {
  it('ends the backend when its host is killed', async () => {
    await using killed = await startPythonHost(path, command)
    expect(await isRunning(killed.backendPid)).toBe(true)
    killed.kill()
    await eventually(async () => expect(await isRunning(killed.backendPid)).toBe(false))
    expect(killed.output()).not.toMatch(/\bat .*\.js:\d+/)
  })
})
