import type { PredictOptions } from '@svc/backend-client/proto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { createVocabulary } from './models.ts'

const { tokens: VOCABULARY } = createVocabulary()
let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  await backend.load({})
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

async function say(request: Partial<PredictOptions>): Promise<string> {
  const usual = { Prompt: 'hello world', Tokens: 16, Temperature: 1, TopP: 1, Seed: 7, IgnoreEOS: true }
  return (await backend.client.predict({ ...usual, ...request })).message.toString('hex')
}

const WAYS: [string, Partial<PredictOptions>][] = [
  ['typical_p', { TypicalP: 0.4 }],
  ['tfz', { TailFreeSamplingZ: 0.3 }],
  ['mirostat 1', { Mirostat: 1, MirostatTAU: 4 }],
  ['mirostat 2', { Mirostat: 2, MirostatTAU: 4 }],
]

describe.each(WAYS)('%s', (_, way) => {
  it('changes the choice, the same way for the same seed', async () => {
    const text = await say(way)
    expect(await say(way)).toBe(text)
    expect(text).not.toBe(await say({}))
    expect(await say({ ...way, Seed: 8 })).not.toBe(text)
  })

  it('has no part at temperature 0', async () => {
    expect(await say({ ...way, Temperature: 0 })).toBe(await say({ Temperature: 0 }))
  })

  it('goes together with biases and penalties', async () => {
    const id = VOCABULARY.indexOf('▁good')
    const text = await say({ ...way, LogitBias: JSON.stringify({ [id]: 1000 }) })
    expect(Buffer.from(text, 'hex').toString()).toBe(' good'.repeat(16))
    const penalised = { ...way, LogitBias: JSON.stringify({ [id]: 100 }), PresencePenalty: 1000 }
    expect(
      Buffer.from(await say(penalised), 'hex')
        .toString()
        .split(' good'),
    ).toHaveLength(2)
  })
})

describe('our own cuts', () => {
  it('leave the same token as those of the engine when only one is left', async () => {
    const greedy = await say({ Temperature: 0 })
    for (const cut of [{ TopK: 1 }, { TopP: 0 }, { MinP: 1 }]) {
      expect(await say({ TypicalP: 0.99999, ...cut })).toBe(greedy)
    }
  })
})
