import type { PredictOptions } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { CHAINS } from './models.ts'

const CONTEXT = 512
let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

interface Asked {
  readonly text: string
  readonly promptTokens: number
  readonly tokens: number
  /** Tokens of the prompt that were read again. */
  readonly read: number
  readonly slot: number
}

async function ask(request: Partial<PredictOptions>): Promise<Asked> {
  const reply = await backend.client.predict({ Tokens: 4, PromptCacheAll: true, ...request })
  const { promptTokensProcessed: read, slotId: slot } = await backend.client.getMetrics({})
  return { text: reply.message.toString(), promptTokens: reply.promptTokens, tokens: reply.tokens, read, slot }
}

const words = (word: string, count: number): string => Array(count).fill(word).join(' ')

describe('a slot', () => {
  beforeAll(async () => {
    await backend.load({ contextLength: CONTEXT }, { Options: ['parallel:3'] })
  })

  it('remembers a prompt and its answer, and reads only new tokens', async () => {
    const shared = words('hello', 100)
    const first = await ask({ Prompt: shared })
    expect(first).toMatchObject({ promptTokens: 101, read: 101 })
    expect(await ask({ Prompt: shared })).toEqual({ ...first, read: 1 })
    expect(await ask({ Prompt: `${shared} world` })).toMatchObject({ promptTokens: 102, read: 1, slot: first.slot })
  })

  it('is chosen by its longest common beginning, and others keep their tokens', async () => {
    const prompts = ['london', 'weather', 'code'].map((word) => words(word, 60))
    const slots: number[] = []
    for (const Prompt of prompts) slots.push((await ask({ Prompt })).slot)
    expect([...slots].sort()).toEqual([0, 1, 2])
    for (const [index, Prompt] of prompts.entries()) {
      expect(await ask({ Prompt: `${Prompt} smile` })).toMatchObject({ slot: slots[index], read: 1 })
    }
  })

  it('forgets the tokens after the common beginning', async () => {
    await ask({ Prompt: `${words('good', 80)} paris` })
    const again = await ask({ Prompt: `${words('good', 40)} ${words('bad', 40)}` })
    expect(again).toMatchObject({ promptTokens: 81, read: 40 })
    const fresh = await ask({ Prompt: `${words('good', 40)} ${words('bad', 40)}`, PromptCacheAll: false })
    expect(fresh).toMatchObject({ text: again.text, read: 81 })
  })
})

describe('an answer', () => {
  it('is remembered, except for its last token, which was never read', async () => {
    await backend.load({ chains: CHAINS })
    const { text } = await ask({ Prompt: 'loop', Tokens: 40 })
    expect(text).toBe(' yes no code math'.repeat(10))
    expect(await ask({ Prompt: `loop${text} yes` })).toMatchObject({ promptTokens: 43, read: 2 })
  })
})

describe('a full context', () => {
  it('drops its oldest tokens when that is allowed', async () => {
    await backend.load({ chains: CHAINS, contextLength: 64 }, { Options: ['context_shift:true', 'parallel:1'] })
    const answer = await ask({ Prompt: 'loop', Tokens: 300 })
    expect(answer.tokens).toBe(300)
    expect(answer.text).toBe(' yes no code math'.repeat(75))
    expect((await ask({ Prompt: 'loop', Tokens: 0 })).tokens).toBe(64)
    // A prompt that is too long is read without its middle.
    const long = await ask({ Prompt: `${words('hello', 100)} loop`, Tokens: 4, NKeep: 5 })
    expect(long.text).toBe(' yes no code math')
    expect(long.promptTokens).toBeLessThan(64)
  })

  it('answers after dropping tokens like a model that reads only the rest', async () => {
    await backend.load({ contextLength: 64 }, { Options: ['context_shift:true', 'parallel:1'] })
    expect(await ask({ Prompt: 'hello', Tokens: 200, IgnoreEOS: true })).toMatchObject({ tokens: 200 })
  })
})
