import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_MIROSTAT_ETA,
  DEFAULT_MIROSTAT_TAU,
  DEFAULT_REPEAT_LAST_N,
  listPenalised,
  parseLogitBias,
  type Sampling,
  type SamplingRequest,
  toSampling,
} from './sampling.ts'

const USUAL: SamplingRequest = {
  temperature: 0.8,
  topK: 40,
  topP: 0.95,
  minP: 0.05,
  typicalP: 1,
  tailFreeZ: 1,
  mirostat: 0,
  mirostatEta: 0,
  mirostatTau: 0,
  seed: 7,
  repeatPenalty: 1,
  repeatLastN: 0,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logitBias: '',
  ignoreEos: false,
}
// Any numbers can be token ids here.
const HISTORY = Array.from({ length: 200 }, (_, id) => id as Token)
const tokenizer = {
  toTokens: (ids: readonly number[]) => ids.map((id) => checkId(id)),
  endTokens: () => [2, 9].map((id) => checkId(id)),
}
const MODEL = { tokenizer, contextSize: 150 }

function checkId(id: number): Token {
  if (!(id < 100)) throw new Error('not in the vocabulary')
  return id as Token
}

function read(change: Partial<SamplingRequest> = {}): Sampling {
  return toSampling({ ...USUAL, ...change }, MODEL)
}

describe('the numbers of a request', () => {
  it('are passed on as they are where the engine knows them', () => {
    expect(read()).toEqual({
      config: { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, seed: 7 },
      lookBack: 0,
      typicalP: 1,
      tailFreeZ: 1,
      mirostat: 0,
      mirostatEta: DEFAULT_MIROSTAT_ETA,
      mirostatTau: DEFAULT_MIROSTAT_TAU,
    })
  })

  it('are brought into range', () => {
    const wild = { temperature: -1, topK: -5, topP: 7, minP: -0.1, typicalP: 3, tailFreeZ: -2, mirostat: 7 }
    expect(read(wild)).toMatchObject({
      config: { temperature: 0, topK: 0, topP: 1, minP: 0 },
      typicalP: 1,
      tailFreeZ: 1,
      mirostat: 0,
    })
    expect(read({ topP: -1, minP: 3 }).config).toMatchObject({ topP: 0, minP: 1 })
    const cuts = { typicalP: 0.5, tailFreeZ: 0.9, mirostat: 2, mirostatEta: 0.2, mirostatTau: 3 }
    expect(read(cuts)).toMatchObject(cuts)
  })

  it('have a seed of their own where the one given is below 0', () => {
    const seeds = Array.from({ length: 5 }, () => read({ seed: -1 }).config.seed ?? -1)
    expect(new Set(seeds).size).toBeGreaterThan(1)
    expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true)
    expect(read({ seed: 0 }).config.seed).toBe(0)
  })

  it.each([
    ...['temperature', 'topP', 'minP', 'repeatPenalty', 'frequencyPenalty', 'presencePenalty'],
    ...['typicalP', 'tailFreeZ', 'mirostatEta', 'mirostatTau'],
  ])('are refused where %s is not a number', (name) => {
    expect(() => read({ [name]: Number.NaN })).toThrow(name)
    expect(() => read({ [name]: Number.POSITIVE_INFINITY })).toThrow(name)
  })
})

describe('penalties', () => {
  const seen = (change: Partial<SamplingRequest>): readonly number[] | undefined => {
    const { repeatPenaltyTokens } = listPenalised(read(change), HISTORY)
    return repeatPenaltyTokens && [...repeatPenaltyTokens]
  }

  it('are off at their neutral values', () => {
    expect(seen({})).toBeUndefined()
    expect(seen({ repeatPenalty: 0 })).toBeUndefined()
  })

  it('look back as far as asked for, and no further than the context', () => {
    expect(seen({ repeatPenalty: 1.1 })).toEqual(HISTORY.slice(-DEFAULT_REPEAT_LAST_N))
    expect(seen({ repeatPenalty: 1.1, repeatLastN: 10 })).toEqual(HISTORY.slice(-10))
    expect(seen({ repeatPenalty: 1.1, repeatLastN: -1 })).toEqual(HISTORY.slice(-150))
    expect(seen({ repeatPenalty: 1.1, repeatLastN: 1000 })).toEqual(HISTORY.slice(-150))
  })

  it('have the size of their look-back, so that the engine need not rebuild', () => {
    expect(read({ presencePenalty: 1, repeatLastN: 10 }).config).toMatchObject({
      repeatPenalty: 1,
      repeatPenaltyPresencePenalty: 1,
      repeatPenaltyFrequencyPenalty: 0,
      repeatPenaltyMaxTokens: 10,
    })
  })
})

describe('biases', () => {
  it('are read from JSON text', () => {
    expect([...parseLogitBias('{"5": 1.5, "7": -100}', tokenizer)]).toEqual([
      [5, 1.5],
      [7, -100],
    ])
    for (const none of ['', ' ', 'null', '{}']) expect(parseLogitBias(none, tokenizer).size).toBe(0)
  })

  it.each(['{', '[]', '"x"', '5', '{"a": 1}', '{"-1": 1}', '{"1.5": 1}', '{"5": "1"}', '{"5": null}', '{"100": 1}'])(
    'are refused as %s',
    (text) => {
      expect(() => parseLogitBias(text, tokenizer)).toThrow()
    },
  )

  it('are refused in masses', () => {
    const many = JSON.stringify(Object.fromEntries(Array.from({ length: 5000 }, (_, id) => [id, 1])))
    expect(() => parseLogitBias(many, tokenizer)).toThrow(/more than/)
  })

  it('forbid every end token when the end is to be ignored, for any other option', () => {
    const { config } = read({ ignoreEos: true, logitBias: '{"9": 5, "7": 1}' })
    expect([...(config.tokenBiasKeys ?? [])]).toEqual([7, 9, 2])
    expect([...(config.tokenBiasValues ?? [])]).toEqual([1, -Infinity, -Infinity])
  })
})
