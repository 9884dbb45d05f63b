import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import {
  DEFAULT_REPEAT_LAST_N,
  parseLogitBias,
  type SamplingRequest,
  toRepeatPenalty,
  toSamplerValues,
} from './sampling.ts'

const USUAL: SamplingRequest = {
  temperature: 0.8,
  topK: 40,
  topP: 0.95,
  minP: 0.05,
  seed: 7,
  repeatPenalty: 1,
  repeatLastN: 0,
  frequencyPenalty: 0,
  presencePenalty: 0,
  logitBias: '',
  ignoreEos: false,
}
// Ids stand for tokens of any model here.
const HISTORY = Array.from({ length: 200 }, (_, id) => id as Token)
const tokenizer = { toTokens: (ids: readonly number[]) => ids.map((id) => checkId(id)) }

function checkId(id: number): Token {
  if (!(id < 100)) throw new Error('not in the vocabulary')
  return id as Token
}

describe('the numbers of a request', () => {
  it('are passed on as they are where the engine knows them', () => {
    expect(toSamplerValues(USUAL)).toEqual({ temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05, seed: 7 })
  })

  it('are brought into range', () => {
    const wild = { ...USUAL, temperature: -1, topK: -5, topP: 7, minP: -0.1 }
    expect(toSamplerValues(wild)).toMatchObject({ temperature: 0, topK: 0, topP: 1, minP: 0 })
    expect(toSamplerValues({ ...USUAL, topP: -1, minP: 3 })).toMatchObject({ topP: 0, minP: 1 })
  })

  it('have a seed of their own where the one given is below 0', () => {
    const seeds = Array.from({ length: 5 }, () => toSamplerValues({ ...USUAL, seed: -1 }).seed)
    expect(new Set(seeds).size).toBeGreaterThan(1)
    expect(seeds.every((seed) => Number.isInteger(seed) && seed >= 0 && seed < 2 ** 31)).toBe(true)
    expect(toSamplerValues({ ...USUAL, seed: 0 }).seed).toBe(0)
  })

  it.each(['temperature', 'topP', 'minP', 'repeatPenalty', 'frequencyPenalty', 'presencePenalty'])(
    'are refused where %s is no number',
    (name) => {
      expect(() => toSamplerValues({ ...USUAL, [name]: Number.NaN })).toThrow(name)
      expect(() => toSamplerValues({ ...USUAL, [name]: Number.POSITIVE_INFINITY })).toThrow(name)
    },
  )
})

describe('penalties', () => {
  const penaltyOf = (change: Partial<SamplingRequest>): ReturnType<typeof toRepeatPenalty> =>
    toRepeatPenalty({ ...USUAL, ...change }, 150, HISTORY)
  const lookBack = (change: Partial<SamplingRequest>): number => {
    const tokens = penaltyOf(change)?.punishTokens
    return typeof tokens === 'function' ? tokens().length : -1
  }

  it('are off at their neutral values', () => {
    expect(penaltyOf({})).toBeUndefined()
    expect(penaltyOf({ repeatPenalty: 0 })).toBeUndefined()
  })

  it('look back as far as asked for, and no further than the context', () => {
    expect(lookBack({ repeatPenalty: 1.1 })).toBe(DEFAULT_REPEAT_LAST_N)
    expect(lookBack({ repeatPenalty: 1.1, repeatLastN: 10 })).toBe(10)
    expect(lookBack({ repeatPenalty: 1.1, repeatLastN: -1 })).toBe(150)
    expect(lookBack({ repeatPenalty: 1.1, repeatLastN: 1000 })).toBe(150)
  })

  it('see the tokens made since', () => {
    const history = HISTORY.slice(0, 1)
    const penalty = toRepeatPenalty({ ...USUAL, presencePenalty: 1 }, 150, history)
    history.push(...HISTORY.slice(5, 6))
    const tokens = penalty?.punishTokens
    expect(typeof tokens === 'function' && tokens()).toEqual([0, 5])
    expect(penalty).toMatchObject({ penalty: 1, presencePenalty: 1, frequencyPenalty: 0 })
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
})
