import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { chooseSlot, countShared } from './prefix-cache.ts'

const tokens = (...ids: number[]): Token[] => ids.map((id) => id as Token)
const slots = (...lists: Token[][]) => lists.map((list, id) => ({ id, tokens: list }))

describe('the common beginning of two texts', () => {
  it('is their common beginning', () => {
    expect(countShared(tokens(1, 2, 3), tokens(1, 2, 4, 5))).toBe(2)
    expect(countShared(tokens(1, 2), tokens(1, 2, 3))).toBe(2)
    expect(countShared(tokens(), tokens(1))).toBe(0)
  })
})

describe('the slot for a prompt', () => {
  const prompt = tokens(1, 2, 3, 4)
  const choose = (list: Token[][], similarity = 0.1): number => chooseSlot(slots(...list), prompt, { similarity })

  it('is the one that remembers most of it', () => {
    expect(choose([tokens(9), tokens(1, 2), tokens(1, 2, 3), tokens(1)])).toBe(2)
  })

  it('is an empty one when no slot remembers enough', () => {
    expect(choose([tokens(1, 9), tokens(), tokens()], 0.5)).toBe(1)
  })

  it('is the one used longest ago where all remember something else', () => {
    expect(choose([tokens(8), tokens(9)])).toBe(0)
  })
})
