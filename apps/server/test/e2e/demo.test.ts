import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { demoModels } from '@svc/demo-models'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BuiltServer, startBuiltServer } from '../support/built-server.ts'
import { type OpenChat, openChat, postChat, readAnswer } from './open-chat.ts'

interface Completion {
  readonly choices: readonly { readonly finish_reason: string; readonly message: { readonly content: string } }[]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
}

/** Makes the model deterministic. */
const GREEDY = { temperature: 0, seed: 1 }
/** Default number of generations that the llama backend runs in parallel. */
const ENGINE_PLACES = 4
const asking = (content: string): { messages: unknown } => ({ messages: [{ role: 'user', content }] })
/** A generation that continues until the context is full, even if the model wants to stop. */
const LONG = { ...GREEDY, ignore_eos: true }

let server: BuiltServer
beforeAll(async () => {
  server = await startBuiltServer({ env: { SVC_DEMO_MODEL: 'true', SVC_THREADS: '1' } })
})
afterAll(() => server[Symbol.asyncDispose]())

async function complete(extra: Readonly<Record<string, unknown>>, model = 'demo'): Promise<Completion> {
  const reply = await postChat(server.url, model, extra)
  expect(reply.status).toBe(200)
  // the tests of the official client check the form of a reply
  return (await reply.json()) as Completion
}

describe('the demo model', () => {
  it.each(['Hello!', 'hi there', 'Who are you?', 'How do I add my own model?', 'zxcv qwer'])(
    'has a short answer to %j and ends by itself',
    async (question) => {
      const { choices, usage } = await complete(asking(question))
      expect(choices[0]?.finish_reason).toBe('stop')
      const { content = '' } = choices[0]?.message ?? {}
      expect(content).toMatch(/^\p{Lu}[^<|]+$/su)
      expect(usage.completion_tokens).toBeLessThan(200)
    },
  )

  it('gives the same answer again without randomness, whole and streamed', async () => {
    const question = { ...GREEDY, ...asking('What can you do?') }
    const first = await complete(question)
    expect(await complete(question)).toMatchObject({ choices: first.choices, usage: first.usage })
    const streamed = openChat(server.url, 'demo', question)
    expect(await streamed.ended).toBe('whole')
    expect(streamed.text()).toBe(first.choices[0]?.message.content)
  })

  it('draws the same with the same seed', async () => {
    const drawn = { temperature: 1.5, seed: 42, max_tokens: 40, ignore_eos: true }
    const first = await complete(drawn)
    const again = await complete(drawn)
    const other = await complete({ ...drawn, seed: 43 })
    expect(again.choices).toEqual(first.choices)
    expect(other.choices).not.toEqual(first.choices)
  })

  it('ends before a stop sequence', async () => {
    const whole = (await complete(GREEDY)).choices[0]?.message.content ?? ''
    const words = whole.split(' ')
    expect(words.length).toBeGreaterThan(2)
    const stop = words.slice(1, 3).join(' ')
    const { choices } = await complete({ ...GREEDY, stop: ['nowhere', stop] })
    expect(choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: whole.slice(0, whole.indexOf(stop)) },
    })
  })

  it('stops at max_tokens and counts its tokens', async () => {
    const { choices, usage } = await complete({ ...GREEDY, max_tokens: 3 })
    expect(choices[0]?.finish_reason).toBe('length')
    expect(usage.completion_tokens).toBe(3)
    expect(usage.prompt_tokens).toBeGreaterThan(3)
    expect(usage.total_tokens).toBe(usage.prompt_tokens + 3)
    const longer = await complete({ ...GREEDY, max_tokens: 3, ...asking('Hello! '.repeat(20)) })
    expect(longer.usage.prompt_tokens).toBeGreaterThan(usage.prompt_tokens + 19)
  })

  it('ends with length when its context is full, and refuses a prompt that does not fit', async () => {
    const { choices, usage } = await complete({ ...LONG, max_tokens: 5000 })
    expect(choices[0]?.finish_reason).toBe('length')
    expect(usage.total_tokens).toBeGreaterThan(500)
    expect(usage.total_tokens).toBeLessThanOrEqual(demoModels[0]?.contextSize ?? 0)
    const refused = await postChat(server.url, 'demo', asking('Hello! '.repeat(2000)))
    expect(refused.status).toBe(400)
  })

  it('answers eight at a time', async () => {
    const questions = ['Hello!', 'Who are you?', 'Thanks', 'What is svc?', 'Tell me a joke', 'Bye', 'hi', 'Help']
    const answers = await Promise.all(questions.map(async (question) => complete(asking(question))))
    for (const { choices } of answers) {
      expect(choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: expect.stringMatching(/\p{L}/u) } })
    }
  })
})

/** Fails when one of these chats is over. */
function stillRun(chats: readonly OpenChat[]): void {
  expect(chats.map((chat) => chat.events.at(-1))).not.toContain('[DONE]')
}

async function leaveAll(chats: readonly OpenChat[]): Promise<void> {
  for (const chat of chats) chat.leave()
  await Promise.all(chats.map((chat) => chat.ended))
}

it('a new request is answered while others generate', async () => {
  // A busy machine may wake this process only after the others have filled their contexts, so it may look again.
  await eventually(async () => {
    const others = [openChat(server.url, 'demo', LONG), openChat(server.url, 'demo', LONG)]
    try {
      await Promise.all(others.map((chat) => chat.hasText(1)))
      expect(await complete(GREEDY)).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
      stillRun(others)
    } finally {
      await leaveAll(others)
    }
  })
})

describe('weights that cannot be loaded', () => {
  const write = async (name: string, bytes?: Uint8Array) => {
    const models = join(server.folder, 'models')
    if (bytes !== undefined) await writeFile(join(models, `${name}.gguf`), bytes)
    await writeFile(join(models, `${name}.yaml`), `name: ${name}\nbackend: llama\nparameters:\n  model: ${name}.gguf\n`)
  }
  const halfOfDemo = async () => {
    const bytes = await readFile(demoModels[0]?.file ?? '')
    return bytes.subarray(0, Math.floor(bytes.length / 2))
  }

  it('missing: 500 with the reason at once, then 503 with it, and no backend is started', async () => {
    await write('missing')
    const before = server.backends().length
    const reason = 'could not load model "missing": file "missing.gguf" is not in the models folder'
    for (const status of [500, 503]) {
      const reply = await postChat(server.url, 'missing')
      expect([reply.status, await reply.json()]).toMatchObject([
        status,
        { error: { message: expect.stringContaining(reason) } },
      ])
    }
    expect(server.backends()).toHaveLength(before)
  })

  it.each([
    ['cut', halfOfDemo],
    ['alien', () => Buffer.from('GGUF, or so it says')],
  ])('%s: 500, then 503 until the cooldown ends, and other models answer', async (name, toBytes) => {
    await write(name, await toBytes())
    const first = await postChat(server.url, name)
    expect([first.status, await first.json()]).toEqual([
      500,
      { error: expect.objectContaining({ message: expect.any(String), code: expect.anything() }) },
    ])
    const second = await postChat(server.url, name)
    expect(second.status).toBe(503)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await postChat(server.url, 'demo', { ...GREEDY, max_tokens: 2 })).status).toBe(200)
  })
})

describe('a client that leaves mid-stream', () => {
  it('frees its slot: the next is let in before the answer could have ended', async () => {
    const { file = '' } = demoModels[0] ?? {}
    await copyFile(file, join(server.folder, 'models', 'single.gguf'))
    const text = 'name: single\nbackend: llama\nmax_concurrent: 1\nparameters:\n  model: single.gguf\n'
    await writeFile(join(server.folder, 'models', 'single.yaml'), text)
    const leaving = openChat(server.url, 'single', LONG)
    await leaving.hasText(2)
    expect((await postChat(server.url, 'single')).status).toBe(429)
    leaving.leave()
    expect(await leaving.ended).toBe('cut')
    expect(leaving.events).not.toContain('[DONE]')
    const next = await eventually(async () =>
      readAnswer(await postChat(server.url, 'single', { ...GREEDY, max_tokens: 5 })),
    )
    expect(next).not.toBe('')
  })

  it('gives its slot of the engine to a waiting request while the others go on', async () => {
    const places = Array.from({ length: ENGINE_PLACES }, () => openChat(server.url, 'demo', LONG))
    await Promise.all(places.map((chat) => chat.hasText(1)))
    const waiting = complete(GREEDY)
    const [leaving, ...staying] = places
    leaving?.leave()
    expect(await waiting).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
    // one of these chats would be over if the new one had waited for it
    stillRun(staying)
    await leaveAll(places)
  })
})
