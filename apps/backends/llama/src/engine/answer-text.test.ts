import type { Token } from 'node-llama-cpp'
import { describe, expect, it } from 'vitest'
import { createAnswerText } from './answer-text.ts'

const TEXTS = ['', 'a', 'b', 'c', 'stop']
const detokenize = (tokens: readonly Token[]): string => tokens.map((token) => TEXTS[token] ?? '?').join('')

function play(ids: readonly number[], stop: readonly string[]): [string, number[]][] {
  const text = createAnswerText({ detokenize, prompt: [], stop })
  const parts: [string, number[]][] = []
  for (const id of ids) {
    const part = text.push({ token: id as Token, logprob: -1 })
    parts.push([part.text, part.choices.map(({ token }) => token)])
    if (part.stop !== undefined) return parts
  }
  const { text: rest, choices } = text.flush()
  return [...parts, [rest, choices.map(({ token }) => token)]]
}

describe('the tokens of a piece', () => {
  it('come with their text; tokens without text come with the text around them', () => {
    expect(play([1, 0, 2], [])).toEqual([
      ['a', [1]],
      ['', [0]],
      ['b', [2]],
      ['', []],
    ])
  })

  it('wait while their text may be part of a stop string', () => {
    expect(play([1, 2, 3], ['bx'])).toEqual([
      ['a', [1]],
      ['', []],
      ['bc', [2, 3]],
      ['', []],
    ])
  })

  it('are left out where their text is', () => {
    expect(play([1, 4, 2], ['stop'])).toEqual([
      ['a', [1]],
      ['', []],
    ])
    expect(play([1, 4, 2], ['op'])).toEqual([
      ['a', [1]],
      ['st', [4]],
    ])
  })
})
