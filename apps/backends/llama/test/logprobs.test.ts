import type { PredictOptions, Reply } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { collect, joinText, startBackend, type TestBackend } from './backend.ts'
import { CHAINS, createVocabulary } from './models.ts'

interface Entry {
  readonly id: number
  readonly token: string
  readonly logprob: number
  readonly bytes: readonly number[]
  readonly top_logprobs: readonly Omit<Entry, 'top_logprobs'>[]
}

const { tokens: VOCABULARY } = createVocabulary()
let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  await backend.load({ chains: CHAINS })
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

function readEntries(reply: Reply | undefined): readonly Entry[] {
  const { logprobs } = reply ?? {}
  if (logprobs === undefined || logprobs.length === 0) return []
  return (JSON.parse(logprobs.toString()) as { content: Entry[] }).content
}

async function ask(request: Partial<PredictOptions>): Promise<readonly Entry[]> {
  return readEntries(await backend.client.predict({ Prompt: 'hello', Tokens: 20, Logprobs: 1, ...request }))
}

describe('log-probabilities', () => {
  it('are there for every token, with its text and bytes', async () => {
    const entries = await ask({})
    expect(entries.map(({ token }) => token)).toEqual([' world', ' the', ' weather', ' today', ' is', ' good'])
    expect(entries[0]).toMatchObject({ id: VOCABULARY.indexOf('▁world'), bytes: [...Buffer.from(' world')] })
    for (const { logprob, top_logprobs } of entries) {
      expect(logprob).toBeLessThanOrEqual(0)
      expect(top_logprobs).toEqual([])
    }
  })

  it('are absent unless asked for', async () => {
    expect(await ask({ Logprobs: 0, TopLogprobs: 5 })).toEqual([])
  })

  it('name the likeliest tokens, best first, and those of a whole vocabulary add up to 1', async () => {
    const [first] = await ask({ TopLogprobs: 20, Tokens: 1 })
    const top = first?.top_logprobs ?? []
    expect(top).toHaveLength(20)
    expect(top[0]).toMatchObject({ token: ' world', logprob: first?.logprob })
    expect(top.map(({ logprob }) => logprob)).toEqual(top.map(({ logprob }) => logprob).sort((a, b) => b - a))
    const biased: (Entry | undefined)[] = []
    for (const id of VOCABULARY.keys()) {
      const [entry] = await ask({ LogitBias: JSON.stringify({ [id]: 1000 }), Tokens: 1 })
      biased.push(entry)
    }
    // End tokens make no entry; all others are reported before biases.
    const isEnd = (token: string): boolean => token === '</s>' || token === '<|im_end|>'
    expect(biased.map((entry) => entry?.id)).toEqual(VOCABULARY.map((token, id) => (isEnd(token) ? undefined : id)))
    const sum = biased.reduce((total, entry) => total + (entry === undefined ? 0 : Math.exp(entry.logprob)), 0)
    expect(sum).toBeGreaterThan(0.9)
    expect(sum).toBeLessThan(1.0001)
  })

  it('are those of the model, for any temperature and cuts', async () => {
    const [plain] = await ask({ Tokens: 1 })
    const [changed] = await ask({ Tokens: 1, Temperature: 0.2, TopK: 1, FrequencyPenalty: 1 })
    expect(changed?.logprob).toBeCloseTo(plain?.logprob ?? 1, 4)
  })

  it('come with the text they belong to', async () => {
    const replies = await collect(
      backend.client.predictStream({ Prompt: 'smile', Tokens: 20, Logprobs: 1, StopPrompts: ['never'] }),
    )
    expect(replies.map((reply) => [reply.message.toString(), readEntries(reply).length])).toEqual([
      ['😀', 4],
      ['', 0],
    ])
    const bytes = replies.flatMap((reply) => readEntries(reply).flatMap((entry) => entry.bytes))
    expect(Buffer.from(bytes).toString()).toBe('😀')
  })

  it('wait with text that is held back, and tell of the last token in part', async () => {
    const request = { Prompt: 'hello', Tokens: 20, Logprobs: 1, StopPrompts: ['er today'] }
    const replies = await collect(backend.client.predictStream(request))
    expect(joinText(replies)).toBe(' world the weath')
    expect(replies.flatMap((reply) => readEntries(reply).map(({ token }) => token))).toEqual([
      ...[' world', ' the', ' weather'],
    ])
  })

  it('are refused for more alternatives than the format knows', async () => {
    await expect(ask({ TopLogprobs: 21 })).rejects.toMatchObject({ kind: 'invalid_request' })
  })
})
