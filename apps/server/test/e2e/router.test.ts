import { cpSync, readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Anthropic from '@anthropic-ai/sdk'
import { writeTinyEmbedder } from '@svc/test-kit'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { verifies } from '../spec/verifies.ts'
import { type BuiltServer, runBuilt, startBuiltServer } from '../support/built-server.ts'
import { openResponseSocket } from '../support/response-socket.ts'
import type { WireDecision } from '../support/router-world.ts'

const POLICIES = [
  { label: 'code', description: 'Writing and debugging source code' },
  { label: 'translation', description: 'Translating text into another language' },
  { label: 'small_talk', description: 'Greetings, thanks and small talk' },
]
const CANDIDATES = POLICIES.map(({ label }) => ({ model: `for-${label}`, labels: [label] }))
/** Prompts that every classifier but `decisions` labels right with the demo models. */
const PROMPTS = [
  ['Why does my C++ program crash?', 'for-code'],
  ['Translate this sentence into German', 'for-translation'],
  ['Hello there, how are you?', 'for-small_talk'],
] as const
const CORPUS = [
  ['fix my code, the program crashes with an error', 'code'],
  ['write a function in Python that sorts a list', 'code'],
  ['translate this text into German please', 'translation'],
  ['translate the sentence into French', 'translation'],
  ['hello, how are you today', 'small_talk'],
  ['hello there my friend', 'small_talk'],
].map(([text = '', label = '']) => ({ text, labels: [label] }))

const ROUTERS: Readonly<Record<string, Record<string, unknown>>> = {
  score: { classifier: 'score', classifier_model: 'demo', activation_threshold: 0.5 },
  colbert: { classifier: 'colbert', classifier_model: 'demo-embed' },
  knn: { classifier: 'knn', knn: { embedding_model: 'demo-embed', k: 1, similarity_threshold: 0.3 } },
}

let server: BuiltServer
let openai: OpenAI
let anthropic: Anthropic
let ollama: Ollama

async function writeRouter(name: string, keys: Record<string, unknown>): Promise<void> {
  const router = { policies: POLICIES, candidates: CANDIDATES, fallback: 'for-nothing', ...keys }
  await writeFile(join(server.folder, 'models', `${name}.yaml`), stringify({ name, router }))
}

async function postJson(path: string, body: unknown): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

async function lastDecision(): Promise<WireDecision> {
  const reply = await fetch(`${server.url}/api/router/decisions?limit=1`)
  const { decisions } = (await reply.json()) as { decisions: WireDecision[] }
  const [decision] = decisions
  if (decision === undefined) throw new Error('no decision')
  return decision
}

beforeAll(async () => {
  server = await startBuiltServer({ mock: {}, env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'none', maxRetries: 0 })
  anthropic = new Anthropic({ baseURL: server.url, apiKey: 'none', maxRetries: 0 })
  ollama = new Ollama({ host: server.url })
  for (const name of [...CANDIDATES.map(({ model }) => model), 'for-nothing']) {
    const known_usecases = ['chat', 'completion', 'edit']
    await server.model(
      name,
      { rules: [{ rpc: 'Predict*', do: { text: `I am ${name}` } }] },
      { known_usecases, template: { use_tokenizer_template: true } },
    )
  }
  for (const [name, keys] of Object.entries(ROUTERS)) await writeRouter(name, keys)
  const added = await postJson('/api/router/knn/corpus', { entries: CORPUS })
  expect(await added.json()).toMatchObject({ added: CORPUS.length })
})
afterAll(() => server[Symbol.asyncDispose]())

/** Asks a router on one route. @returns the model that the reply names and its text */
type Ask = (model: string, prompt: string) => Promise<readonly [model: string, text: string]>

const messages = (content: string) => [{ role: 'user' as const, content }]

const ROUTES: Readonly<Record<string, Ask>> = {
  async 'chat completions'(model, prompt) {
    const reply = await openai.chat.completions.create({ model, messages: messages(prompt) })
    return [reply.model, reply.choices[0]?.message.content ?? '']
  },
  async 'chat completions, streamed'(model, prompt) {
    let [named, text] = ['', '']
    for await (const chunk of await openai.chat.completions.create({
      model,
      stream: true,
      messages: messages(prompt),
    })) {
      named = chunk.model
      text += chunk.choices[0]?.delta.content ?? ''
    }
    return [named, text]
  },
  async completions(model, prompt) {
    const reply = await openai.completions.create({ model, prompt })
    return [reply.model, reply.choices[0]?.text ?? '']
  },
  async 'completions, streamed'(model, prompt) {
    let [named, text] = ['', '']
    for await (const chunk of await openai.completions.create({ model, stream: true, prompt })) {
      named = chunk.model
      text += chunk.choices[0]?.text ?? ''
    }
    return [named, text]
  },
  async responses(model, input) {
    const reply = await openai.responses.create({ model, input })
    return [String(reply.model), reply.output_text ?? '']
  },
  async 'responses, streamed'(model, input) {
    const response = await openai.responses.stream({ model, input }).finalResponse()
    return [String(response.model), response.output_text ?? '']
  },
  async 'responses on a WebSocket'(model, input) {
    await using socket = await openResponseSocket(server.url)
    const response = await socket.create({ model, input })
    return [response.model, JSON.stringify(response.output)]
  },
  async messages(model, prompt) {
    const reply = await anthropic.messages.create({ model, max_tokens: 50, messages: messages(prompt) })
    return [reply.model, JSON.stringify(reply.content)]
  },
  async 'messages, streamed'(model, prompt) {
    const reply = await anthropic.messages.stream({ model, max_tokens: 50, messages: messages(prompt) }).finalMessage()
    return [reply.model, JSON.stringify(reply.content)]
  },
  async '/api/chat'(model, prompt) {
    const reply = await ollama.chat({ model, messages: messages(prompt) })
    return [reply.model, reply.message.content]
  },
  async '/api/chat, streamed'(model, prompt) {
    let [named, text] = ['', '']
    for await (const part of await ollama.chat({ model, stream: true, messages: messages(prompt) })) {
      named = part.model
      text += part.message.content
    }
    return [named, text]
  },
  async '/api/generate'(model, prompt) {
    const reply = await ollama.generate({ model, prompt })
    return [reply.model, reply.response ?? '']
  },
  async '/api/generate, streamed'(model, prompt) {
    let [named, text] = ['', '']
    for await (const part of await ollama.generate({ model, stream: true, prompt })) {
      named = part.model
      text += part.response
    }
    return [named, text]
  },
  async edits(model, instruction) {
    const reply = (await (await postJson('/v1/edits', { model, instruction })).json()) as {
      model?: string
      choices: { text: string }[]
    }
    const text = reply.choices[0]?.text ?? ''
    // Edits name no model in their reply.
    return [reply.model ?? text.replace('I am ', ''), text]
  },
}

describe.each(Object.keys(ROUTERS))('%s on the demo models', (router) => {
  it.each(Object.keys(ROUTES))('routes labelled prompts: %s', async (route) => {
    for (const [prompt, served] of PROMPTS) {
      const [model, text] = (await ROUTES[route]?.(router, prompt)) ?? []
      expect([model, text], prompt).toEqual([served, expect.stringContaining(`I am ${served}`)])
      expect(await lastDecision()).toMatchObject({
        router_model: router,
        requested_model: router,
        served_model: served,
        classifier: router,
      })
    }
  })
})

describe('decisions on the demo model', () => {
  it('gives each label a probability of its own, and the threshold of the file decides', async () => {
    const candidates = [...CANDIDATES, { model: 'for-nothing', labels: POLICIES.map(({ label }) => label) }]
    for (const activation_threshold of [0.7, 0.9, 1]) {
      await writeRouter('decisions', {
        classifier: 'decisions',
        classifier_model: 'demo',
        activation_threshold,
        candidates,
      })
      const reply = await openai.chat.completions.create({
        model: 'decisions',
        messages: messages('Fix this function'),
      })
      const { classifier, label, label_scores = [], served_model } = await lastDecision()
      const active = label_scores.filter(({ score }) => score >= activation_threshold).map((one) => one.label)
      const expected = candidates.find(({ labels }) => active.every((one) => labels.includes(one)))?.model
      expect([classifier, label]).toEqual(['decisions', active.length === 0 ? 'fallback' : active.join(',')])
      expect([reply.model, served_model]).toEqual(Array(2).fill(active.length === 0 ? 'for-nothing' : expected))
      expect(label_scores.map((one) => one.label)).toEqual(POLICIES.map((one) => one.label))
      for (const { score } of label_scores) expect(score > 0 && score <= 1).toBe(true)
    }
  })
})

describe('vectors of an encoder', () => {
  beforeAll(async () => {
    const models = join(server.folder, 'models')
    await mkdir(models, { recursive: true })
    await writeTinyEmbedder(join(models, 'vectors'), { maxTokens: 128 })
    const file = {
      name: 'encoder',
      backend: 'onnx',
      embeddings: true,
      context_size: 128,
      parameters: { model: 'vectors' },
    }
    await writeFile(join(models, 'encoder.yaml'), stringify(file))
    await openai.embeddings.create({ model: 'encoder', input: 'load it' })
  })

  it('vote', async () => {
    await writeRouter('encoded', {
      classifier: 'knn',
      knn: { embedding_model: 'encoder', k: 1, similarity_threshold: 0.99 },
    })
    const entries = [
      { text: 'red apple', labels: ['code'] },
      { text: 'the river', labels: ['small_talk'] },
    ]
    expect(await (await postJson('/api/router/encoded/corpus', { entries })).json()).toMatchObject({ added: 2 })
    const ask = async (content: string) =>
      (await openai.chat.completions.create({ model: 'encoded', messages: messages(content) })).model
    expect([await ask('red apple'), await ask('the river')]).toEqual(['for-code', 'for-small_talk'])
  })

  it('find prompts that mean the same, and so do those of the demo model', async () => {
    for (const embedding_model of ['encoder', 'demo-embed']) {
      await openai.embeddings.create({ model: embedding_model, input: 'load it' })
      await writeRouter('cached', { ...ROUTERS.score, embedding_cache: { embedding_model, confidence_threshold: 0.1 } })
      const ask = async (content: string) =>
        (await openai.chat.completions.create({ model: 'cached', messages: messages(content) })).model
      expect(await ask('Translate this sentence into German'), embedding_model).toBe('for-translation')
      expect(await ask('Translate this sentence  into German!'), embedding_model).toBe('for-translation')
      expect(await lastDecision()).toMatchObject({ cached: true, classifier: 'score' })
      expect((await lastDecision()).cache_similarity).toBeGreaterThan(0.8)
    }
  })
})

it('a prompt longer than the context of the classifier is cut and routed', async () => {
  const [model] =
    (await ROUTES['chat completions']?.(
      'score',
      `${'a long story. '.repeat(2_000)}\nTranslate this sentence into German`,
    )) ?? []
  expect(await lastDecision()).toMatchObject({ classifier: 'score', reason: 'covered' })
  expect(CANDIDATES.map((one) => one.model)).toContain(model)
})

describe('the router to begin with', () => {
  const folder = fileURLToPath(new URL('../../../../examples/demo-router/', import.meta.url))
  const env = { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' }

  it('is the one of the page about routers', () => {
    const page = readFileSync(new URL('../../../../docs/router.md', import.meta.url), 'utf8')
    expect(/```yaml\n(?<block>[\s\S]*?)```/.exec(page)?.groups?.block).toBe(
      readFileSync(join(folder, 'auto.yaml'), 'utf8'),
    )
  })

  verifies('router:demo:works', 'sends new texts to the right model, and has thresholds that fit', async () => {
    for (const name of ['auto', 'small', 'large']) {
      cpSync(join(folder, `${name}.yaml`), join(server.folder, 'models', `${name}.yaml`))
    }
    const corpus = JSON.parse(readFileSync(join(folder, 'corpus.json'), 'utf8')) as { entries: unknown[] }
    const added = await postJson('/api/router/auto/corpus', corpus)
    expect(await added.json()).toMatchObject({ added: corpus.entries.length, skipped: 0 })
    const texts = join(folder, 'texts.jsonl')
    expect(
      await runBuilt(server.folder, ['router', 'eval', 'auto', texts, '--min-rate', '0.85'], { env }),
    ).toMatchObject({
      code: 0,
      stderr: '',
    })
    const fitted = await runBuilt(server.folder, ['router', 'fit', 'auto', texts], { env })
    expect([fitted.code, fitted.stdout]).toEqual([0, expect.stringContaining('No proposal')])
    const reply = await postJson('/v1/chat/completions', {
      model: 'auto',
      messages: messages('Why does my program crash?'),
    })
    expect([reply.status, await lastDecision()]).toMatchObject([200, { label: 'code', router_model: 'auto' }])
  })
})

describe('commands on routers, beside the server that runs', () => {
  const labelled = PROMPTS.map(([text], index) => ({ text, labels: [POLICIES[index]?.label ?? ''] }))
  const run = (...args: readonly string[]) =>
    runBuilt(server.folder, args, { env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
  const writeTexts = async (name: string, texts: readonly unknown[]) => {
    const file = join(server.folder, name)
    await writeFile(file, texts.map((text) => `${typeof text === 'string' ? text : JSON.stringify(text)}\n`).join(''))
    return file
  }

  it('fit proposes thresholds for a corpus, with what they change', async () => {
    const { code, stdout, stderr } = await run('router', 'fit', 'knn')
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('router "knn": 6 texts of its corpus')])
    for (const part of ['similarity_threshold', 'vote_threshold', 'right model', 'served model']) {
      expect(stdout).toContain(part)
    }
    expect(stdout).toMatch(/\nrouter:\n {2}knn:\n {4}similarity_threshold: 0\.\d\d\n|No proposal/)
    expect(stdout).toContain('No text is without a label')
    expect(stdout).toContain('No text has several labels')
    for (const { text } of CORPUS) expect(stdout).not.toContain(text)
  })

  it('fit takes a file beside a corpus, with texts that belong to no label', async () => {
    const file = await writeTexts('beside.jsonl', [
      ...labelled,
      { text: 'qqq zzz xxx', labels: [] },
      { text: 'Why does my C++ program crash?', model: 'for-code' },
      { text: 'hello', labels: ['smalltalk'] },
      'damaged',
    ])
    const { code, stdout, stderr } = await run('router', 'fit', 'knn', file)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain('router "knn": 6 texts of its corpus, each routed by the others, and 5 texts of the file')
    expect(stdout).toMatch(/Texts without a label: the fallback serves [01] of 1\./)
    expect(stdout).toContain('line 6: names "smalltalk", which is not a label of policies')
    expect(stdout).toContain('line 7: is not text with labels or a model')
  })

  it('fit proposes a threshold for labelled texts', async () => {
    await writeRouter('loose', { ...ROUTERS.score, activation_threshold: 0 })
    const { code, stdout, stderr } = await run('router', 'fit', 'loose', await writeTexts('texts.jsonl', labelled))
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringMatching(/activation_threshold +0\.15 +0\.\d\d/)])
    expect(stdout).toMatch(/right model +\d+\.\d % +100\.0 %/)
    expect(stdout).toMatch(/router:\n {2}activation_threshold: 0\.\d\d\n?$/)
  })

  it('fit proposes nothing where nothing is gained', async () => {
    const { code, stdout } = await run('router', 'fit', 'score', await writeTexts('texts.jsonl', labelled))
    expect([code, stdout]).toEqual([0, expect.stringContaining('No proposal')])
    expect(stdout).not.toMatch(/proposed|router:\n/)
  })

  it('eval counts the texts that the right model serves, and ends with code 1 below a share', async () => {
    const file = await writeTexts('texts.jsonl', labelled)
    expect(await run('router', 'eval', 'score', file, '--min-rate', '1')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('router "score": 3 texts, 3 routed right (100.0 %)'),
      // Nothing listens: no open door is reported.
      stderr: '',
    })
    const wrong = [...labelled, '', 'damaged', { text: 'hello there', model: 'for-code' }]
    const mixed = await writeTexts('mixed.jsonl', wrong)
    const failed = await run('router', 'eval', 'score', mixed, '--min-rate=0.9')
    expect([failed.code, failed.stdout]).toEqual([1, expect.stringContaining('4 texts, 3 routed right (75.0 %)')])
    expect(failed.stdout).toContain('line 6: for-small_talk instead of for-code; labels: small_talk')
    expect(failed.stdout).toContain('line 5: is not text with labels or a model')
    expect(await run('router', 'eval', 'score', mixed)).toMatchObject({ code: 0 })
    expect(await run('router', 'eval', 'knn', file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('3 texts, 3 routed right'),
    })
  })

  it.each([
    [['router', 'eval', 'score'], 2, 'router eval takes NAME and FILE'],
    [['router', 'fit'], 2, 'router fit takes NAME'],
    [['router', 'eval', 'score', 'x', '--min-rate', 'much'], 2, '--min-rate: "much" is not a number from 0 to 1'],
    [['router', 'fit', 'knn', '--min-rate', '1'], 2, '--min-rate does not belong to router fit'],
    [['router', 'fit', 'nobody'], 1, 'there is no model "nobody"'],
    [['router', 'fit', 'for-code'], 1, 'model "for-code" is not a router'],
    [['router', 'fit', 'score'], 1, 'router "score" has no corpus'],
    [['router', 'eval', 'score', 'missing.jsonl'], 1, 'cannot be read'],
  ])('%j is refused with code %i', async (args, code, message) => {
    expect(await run(...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })
})
