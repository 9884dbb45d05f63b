import { describe, expect, it } from 'vitest'
import { chooseFlashAttention } from './contexts.ts'

describe('flash attention', () => {
  const auto = { flashAttention: 'auto', cacheTypeValue: undefined } as const
  const small = { contextSize: 1024, batchSize: 512, heads: 4 }
  const large = { contextSize: 32_768, batchSize: 512, heads: 32 }

  it.each([
    ['is off while the scores are small', auto, small, false],
    ['is left to the engine where they are large', auto, large, 'auto'],
    ['is left to the engine where heads are unknown', auto, { ...small, heads: Number.POSITIVE_INFINITY }, 'auto'],
    ['is left to the engine for packed values', { ...auto, cacheTypeValue: 'Q8_0' }, small, 'auto'],
    ['is off for values of half size', { ...auto, cacheTypeValue: 'BF16' }, small, false],
    ['is on where it is asked for', { ...auto, flashAttention: true }, small, true],
    ['is off where it is forbidden', { ...auto, flashAttention: false }, large, false],
  ] as const)('%s', (_, settings, shape, expected) => {
    expect(chooseFlashAttention(settings, shape)).toBe(expected)
  })
})
