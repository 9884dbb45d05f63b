import { describe, expect, it } from 'vitest'
import { findPrefilledToken, listTagPairs } from './tag-pairs.ts'

describe('tagPairs', () => {
  it('puts the pairs of the model first, and lets them replace built-in ones', () => {
    const pairs = listTagPairs({ tagPairs: [{ start: '<think>', end: '<end>' }, { start: '((' }, { end: '))' }] })
    expect(pairs[0]).toEqual({ start: '<think>', end: '<end>' })
    expect(pairs).toHaveLength(8)
    expect(pairs.filter(({ start }) => start === '<think>')).toHaveLength(1)
  })
})

describe('findPrefilledToken', () => {
  it.each([
    ['assistant: <think>', '<think>'],
    ['assistant: <think>\n\n', '<think>'],
    ['assistant: <think>\u0085', '<think>'],
    ['assistant: <|channel>thought\n', '<|channel>thought'],
    ['assistant: <think>\n</think>', undefined],
    ['<think> marks thoughts', undefined],
    ['', undefined],
  ])('in %j finds %s', (prompt, token) => {
    expect(findPrefilledToken(prompt, {})).toBe(token)
  })

  it('knows the tokens and pairs of the model', () => {
    const settings = { thinkingStartTokens: ['<mind>', ''], tagPairs: [{ start: '((', end: '))' }] }
    expect(findPrefilledToken('x <mind>', settings)).toBe('<mind>')
    expect(findPrefilledToken('x ((', settings)).toBe('((')
  })
})
