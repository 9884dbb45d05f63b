import type { PredictOptions } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { CHAINS } from './models.ts'

let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  await backend.load({ chains: CHAINS })
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

async function say(request: Partial<PredictOptions>): Promise<string> {
  const reply = await backend.client.predict({ Prompt: 'hello', Tokens: 60, ...request })
  return reply.message.toString()
}

describe('a grammar', () => {
  it('decides the answer, even when the model prefers other text', async () => {
    expect(await say({ Grammar: 'root ::= " world the weather" | " code"' })).toBe(' world the weather')
    expect(await say({ Grammar: 'root ::= " code" " " "math"' })).toBe(' code math')
  })

  it('holds at any temperature, with every way of choosing', async () => {
    const Grammar = 'root ::= "[" ("1" | "2" | "3")+ "]"'
    const ways: Partial<PredictOptions>[] = [
      ...[{ Temperature: 0 }, { Temperature: 5 }, { Temperature: 5, TopK: 3, TopP: 0.5, MinP: 0.1 }],
      ...[{ TypicalP: 0.5 }, { TailFreeSamplingZ: 0.5 }, { Mirostat: 1 }, { Mirostat: 2 }],
      { Temperature: 5, Logprobs: 1, TopLogprobs: 3 },
    ]
    for (const way of ways) {
      // The chain model has no brackets in its chains, so the answer ends by the grammar or by the limit.
      const text = await say({ Temperature: 3, TopP: 1, Seed: 5, Grammar, LogitBias: '', ...way })
      expect(text).toMatch(/^\[[123]+\]?$/)
    }
  })

  it('ends the answer as soon as it is complete, without the blanks that may follow', async () => {
    const replies = await backend.client.predict({ Prompt: 'hello', Tokens: 60, Grammar: 'root ::= "{}" [ \\n]*' })
    expect(replies.message.toString()).toBe('{}')
    expect(replies.tokens).toBeLessThan(60)
  })

  it('goes on behind a blank where more can come', async () => {
    const Grammar = 'root ::= " world" (" the" (" weather")?)?'
    expect(await say({ Grammar })).toBe(' world the weather')
  })

  it('begins with the first token and not with the prompt', async () => {
    expect(await say({ Prompt: 'loop yes', Grammar: 'root ::= " no" " code"' })).toBe(' no code')
  })

  it.each([
    ['no grammar at all', 'this is none'],
    ['a rule that is not there', 'root ::= missing'],
    ['no root', 'other ::= "a"'],
    ['a rule that begins with itself', 'root ::= root "a" | "b"'],
    ['groups in groups without end', `root ::= ${'('.repeat(100_000)}"a"${')'.repeat(100_000)}`],
    ['more text than is read', `root ::= "${'a'.repeat(1024 * 1024)}"`],
  ])('is refused as %s', async (_, Grammar) => {
    await expect(say({ Grammar })).rejects.toMatchObject({ kind: 'invalid_request', code: 'invalid_request' })
    expect(await say({ Tokens: 1 })).toBe(' world')
  })
})

describe('triggers of a grammar', () => {
  const Grammar = 'root ::= " weather is" " no"'

  beforeAll(async () => {
    await backend.load({ chains: CHAINS }, { GrammarTriggers: [{ word: 'weather' }, { word: 'smile' }] })
  })

  it('leave the answer alone until one appears', async () => {
    expect(await say({ Grammar: 'root ::= "weather is no"' })).toBe(' world the weather is no')
  })

  it('may stand before the grammar begins', async () => {
    expect(await say({ Grammar: 'root ::= " code math"' })).toBe(' world the weather code math')
  })

  it('change nothing without a match', async () => {
    expect(await say({ Prompt: 'smile', Grammar })).toBe('😀')
  })

  it('hold with likelihoods and with our own way of choosing too', async () => {
    const request = { Grammar: 'root ::= "weather is no"', Temperature: 0.01 }
    expect(await say({ ...request, Logprobs: 1 })).toBe(' world the weather is no')
    expect(await say({ ...request, TypicalP: 0.99 })).toBe(' world the weather is no')
  })

  it('are not waited for where the request says so', async () => {
    expect(await say({ Grammar: 'root ::= " code"', Metadata: { grammar_lazy: 'false' } })).toBe(' code')
  })
})
