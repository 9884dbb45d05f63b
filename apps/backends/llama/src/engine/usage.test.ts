import { describe, expect, it } from 'vitest'
import { createUsageMeter, tokensPerSecond } from './usage.ts'

describe('a usage meter', () => {
  it('splits the time at the first token and counts from there', () => {
    let at = 1000
    const meter = createUsageMeter(12, () => at)
    at = 1040
    const prompt = { promptTokens: 12, reusedTokens: 7 }
    meter.reuse(7)
    expect(meter.read()).toEqual({ ...prompt, completionTokens: 0, promptMs: 40, generationMs: 0 })
    meter.promptDone()
    meter.count()
    at = 1100
    meter.promptDone()
    meter.count()
    expect(meter.read()).toEqual({ ...prompt, completionTokens: 2, promptMs: 40, generationMs: 60 })
  })
})

describe('tokens per second', () => {
  it('is 0 before any time has passed', () => {
    const usage = { promptTokens: 1, reusedTokens: 0, completionTokens: 3, promptMs: 5, generationMs: 0 }
    expect(tokensPerSecond(usage)).toBe(0)
    expect(tokensPerSecond({ ...usage, generationMs: 100 })).toBe(30)
  })
})
