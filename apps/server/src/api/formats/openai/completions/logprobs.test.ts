import { describe, expect, it } from 'vitest'
import type { PromptToken } from '../../../../inference/core/events.ts'
import { createLogprobWriter } from './logprobs.ts'

const likely = (bytes: Buffer, logprob: number) => ({ token: bytes.toString(), bytes: [...bytes], logprob })

function token(text: string | Buffer, logprob: number | null, top: readonly [string, number][] = []): PromptToken {
  const { logprob: own, ...spelled } = likely(Buffer.from(text), logprob ?? 0)
  const alternatives = top.map(([name, value]) => likely(Buffer.from(name, 'latin1'), value))
  return { ...spelled, logprob: logprob === null ? null : own, top: alternatives }
}

describe('the lists of an echoed prompt', () => {
  it('have offsets in characters, where tokens end inside of one', () => {
    const [first, second] = [Buffer.from('🍎').subarray(0, 3), Buffer.from('🍎').subarray(3)]
    const prompt = [token('a', null), token(first, -1, [['\xf0\x9f\x8d', -1]]), token(second, -2), token('é', -3)]
    const lists = createLogprobWriter(1).piece({ text: 'a🍎é', prompt })
    expect(lists?.tokens).toEqual(['a', 'bytes:\\xf0\\x9f\\x8d', 'bytes:\\x8e', 'é'])
    expect(lists?.text_offset).toEqual([0, 1, 1, 2])
    expect(lists?.token_logprobs).toEqual([null, -1, -2, -3])
    expect(lists?.top_logprobs[1]).toEqual({ 'bytes:\\xf0\\x9f\\x8d': -1 })
  })

  it('keep the best value of tokens that look alike, and the token itself', () => {
    const top: readonly [string, number][] = [
      ['x', -0.5],
      ['y', -1],
      ['z', -2],
    ]
    const [, own] = createLogprobWriter(2).piece({ text: 'ax', prompt: [token('a', null), token('x', -3, top)] })
      ?.top_logprobs ?? [null]
    expect(own).toEqual({ x: -0.5, y: -1 })
    const alone = createLogprobWriter(0).piece({ text: 'ax', prompt: [token('a', null), token('x', -3, top)] })
    expect(alone?.top_logprobs).toEqual([null, { x: -3 }])
  })

  it('end where the text ends, and the answer goes on there', () => {
    const writer = createLogprobWriter(0)
    const prompt = [token('<MASKED', null), token('_NAME_1>', -1), token('!', -2)]
    expect(writer.piece({ text: 'Al!', prompt })?.text_offset).toEqual([0, 3, 3])
    const answer = { token: ' yes', bytes: null, logprob: -1, top_logprobs: [] }
    expect(writer.piece({ text: ' yes', logprobs: [answer] })?.text_offset).toEqual([3])
    expect(writer.piece({ text: '', logprobs: [{ ...answer, token: '</s>' }] })?.text_offset).toEqual([7])
  })

  it('are empty for an empty prompt, and none are written unless asked for', () => {
    expect(createLogprobWriter(1).piece({ text: '', prompt: [] })?.tokens).toEqual([])
    expect(createLogprobWriter(undefined).piece({ text: 'a', prompt: [token('a', null)] })).toBeNull()
    expect(createLogprobWriter(1).piece({ text: 'a' })).toBeNull()
  })
})
