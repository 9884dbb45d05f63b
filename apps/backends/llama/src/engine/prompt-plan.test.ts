import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { planPrompt } from './prompt-plan.ts'

const prompt = (length: number): Token[] => Array.from({ length }, (_, id) => id as Token)

describe('without trimming', () => {
  const rules = { contextSize: 100, trims: false }

  it('prompt and answer fill the slot and no more', () => {
    expect(planPrompt({ prompt: prompt(60), maxTokens: 0, keep: 0 }, rules).limit).toBe(40)
    expect(planPrompt({ prompt: prompt(60), maxTokens: 7, keep: 0 }, rules).limit).toBe(7)
    expect(planPrompt({ prompt: prompt(99), maxTokens: 7, keep: 0 }, rules).limit).toBe(1)
  })

  it('refuses a prompt that leaves no space, and an empty prompt', () => {
    expect(() => planPrompt({ prompt: prompt(100), maxTokens: 1, keep: 0 }, rules)).toThrow(/100 tokens/)
    expect(() => planPrompt({ prompt: [], maxTokens: 1, keep: 0 }, rules)).toThrow(/empty/)
  })
})

describe('with trimming', () => {
  const rules = { contextSize: 100, trims: true }

  it('an answer may be longer than the slot, but not without end', () => {
    expect(planPrompt({ prompt: prompt(60), maxTokens: 500, keep: 0 }, rules).limit).toBe(500)
    expect(planPrompt({ prompt: prompt(60), maxTokens: 0, keep: 0 }, rules).limit).toBe(100)
  })

  it('drops whole blocks from the middle of a prompt that is too long', () => {
    const { prompt: read, keep, discard } = planPrompt({ prompt: prompt(150), maxTokens: 5, keep: 10 }, rules)
    expect([keep, discard]).toEqual([10, 45])
    expect(read).toEqual([...prompt(10), ...prompt(150).slice(100)])
    expect(planPrompt({ prompt: prompt(120), maxTokens: 5, keep: 10 }, rules).prompt).toHaveLength(75)
  })

  it('keeps at least the first token and at most half of the slot', () => {
    expect(planPrompt({ prompt: prompt(60), maxTokens: 5, keep: 0 }, rules).keep).toBe(1)
    expect(planPrompt({ prompt: prompt(60), maxTokens: 5, keep: -1 }, rules).keep).toBe(50)
    expect(planPrompt({ prompt: prompt(60), maxTokens: 5, keep: 90 }, rules).keep).toBe(50)
  })
})
