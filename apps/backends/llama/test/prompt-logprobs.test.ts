import { demoModels } from '@svc/demo-models'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'

let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  const demo = demoModels.find(({ name }) => name === 'demo')
  await backend.loadFile(demo?.file ?? '', { Model: 'demo', EnableScore: true, ContextSize: 512 })
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

const read = (request: { prompt?: string; tokens?: number[]; topLogprobs?: number }) =>
  backend.client.extensions.promptLogprobs(request)
const join = (tokens: readonly { token?: { text: Buffer } | undefined }[]): string =>
  Buffer.concat(tokens.map(({ token }) => token?.text ?? Buffer.of())).toString()

describe('the likelihoods of a prompt', () => {
  it('are those that scoring gives, for exactly the tokens of the prompt', async () => {
    const prompt = 'The capital of France is'
    const { candidates } = await backend.client.score({
      prompt,
      candidates: [' Paris', ' London'],
      includeTokenLogprobs: true,
    })
    for (const [index, word] of [' Paris', ' London'].entries()) {
      const { tokens } = await read({ prompt: prompt + word })
      expect(join(tokens).trimStart()).toBe(prompt + word)
      const expected = candidates[index]?.tokens ?? []
      const given = tokens.slice(-expected.length)
      expect(given.map(({ token }) => token?.logProb)).toEqual(
        expected.map(({ logProb }) => expect.closeTo(logProb, 4)),
      )
      expect(given.map(({ token }) => token?.text.toString())).toEqual(expected.map(({ token }) => token))
    }
  })

  it('agree with the generated answer about what comes next', async () => {
    const prompt = 'Hello, how are'
    const { next, tokens, end, promptTokens } = await read({ prompt, topLogprobs: 5 })
    const reply = await backend.client.predict({
      Prompt: prompt,
      Tokens: 1,
      Temperature: 0,
      Logprobs: 1,
      TopLogprobs: 5,
    })
    const [made] = JSON.parse(reply.logprobs.toString()).content
    expect(next[0]?.text.toString()).toBe(made.token)
    expect(next.map(({ logProb }) => logProb)).toEqual(
      made.top_logprobs.map(({ logprob }: { logprob: number }) => expect.closeTo(logprob, 3)),
    )
    expect(end?.logProb).toBeLessThanOrEqual(0)
    expect(promptTokens).toBe(reply.promptTokens)
    expect(tokens[0]?.top).toEqual(tokens[0]?.token?.logProb === 0 ? [] : expect.any(Array))
    for (const { token, top } of tokens.slice(1)) {
      expect(token?.logProb).toBeLessThanOrEqual(top[0]?.logProb ?? 0)
      expect(top).toHaveLength(5)
    }
  })

  it('take tokens as they are, and any text, the empty one too', async () => {
    const prompt = 'Äpfel 🍎\n\n  und Birnen'
    const { tokens: ids } = await backend.client.tokenizeString({ Prompt: prompt })
    const byTokens = await read({ tokens: ids, topLogprobs: 1 })
    expect(byTokens.tokens.map(({ token }) => token?.id)).toEqual(ids)
    expect(byTokens.tokens[0]).toMatchObject({ token: { logProb: 0 }, top: [] })
    const byText = await read({ prompt })
    expect(byText.tokens.map(({ token }) => token?.id)).toEqual(ids)
    expect(join(byText.tokens).trimStart()).toBe(prompt)
    expect(await read({ prompt: '' })).toMatchObject({ tokens: [], next: [], end: undefined, promptTokens: 0 })
  })

  it('do not depend on what the slot has read before, or on other calls', async () => {
    const prompts = ['one two three', 'one two four', 'a longer prompt that is read in more than one batch '.repeat(6)]
    const alone = []
    for (const prompt of prompts) alone.push(await read({ prompt, topLogprobs: 2 }))
    const together = await Promise.all(prompts.map((prompt) => read({ prompt, topLogprobs: 2 })))
    for (const [index, reply] of together.entries()) {
      expect(reply.tokens.map(({ token }) => token?.logProb)).toEqual(
        alone[index]?.tokens.map(({ token }) => expect.closeTo(token?.logProb ?? 1, 3)),
      )
    }
  })

  it('are refused for prompts that do not fit, unknown tokens and too many alternatives', async () => {
    await expect(read({ prompt: 'word '.repeat(600) })).rejects.toMatchObject({
      kind: 'invalid_request',
      message: expect.stringContaining('512'),
    })
    await expect(read({ tokens: [99_999_999] })).rejects.toMatchObject({ kind: 'invalid_request' })
    await expect(read({ prompt: 'a', topLogprobs: 21 })).rejects.toMatchObject({ kind: 'invalid_request' })
  })

  it('end with the call', async () => {
    const stop = new AbortController()
    const asked = backend.client.extensions.promptLogprobs({ prompt: 'word '.repeat(400) }, { signal: stop.signal })
    stop.abort(new Error('enough'))
    await expect(asked).rejects.toThrow()
    expect((await read({ prompt: 'still here' })).tokens.length).toBeGreaterThan(1)
  })
})
