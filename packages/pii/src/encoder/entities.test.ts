import { describe, expect, it } from 'vitest'
import { type EntityOptions, mergeEntities, type ScoredToken } from './entities.ts'
import { readLabelSet } from './labels.ts'

const NAMES = ['O', 'B-X', 'I-X', 'E-X', 'S-X', 'B-Y', 'I-Y', 'P']
const options: EntityOptions = { labels: readLabelSet(NAMES), aggregation: 'simple', wholeWords: false }

/** Shares of one or several labels; the others divide the rest. */
function shares(given: Readonly<Record<string, number>>): Float32Array {
  const rest = (1 - Object.values(given).reduce((a, b) => a + b, 0)) / (NAMES.length - Object.keys(given).length)
  return Float32Array.from(NAMES, (name) => given[name] ?? rest)
}

/** Tokens of `a|b|c`: each piece with the label at its position, at 0.9. */
function toTokens(pieces: string, labels: string): { text: string; tokens: ScoredToken[] } {
  const names = labels.split(' ')
  let at = 0
  const tokens = pieces.split('|').map((piece, index) => {
    const start = at
    at += piece.length
    return { start, end: at, shares: shares({ [names[index] ?? 'O']: 0.9 }) }
  })
  return { text: pieces.replaceAll('|', ''), tokens }
}

function merge(pieces: string, labels: string, changes: Partial<EntityOptions> = {}): string[] {
  const { text, tokens } = toTokens(pieces, labels)
  return mergeEntities(text, tokens, { ...options, ...changes }).map(({ group, start, end }) => {
    return `${group}:${text.slice(start, end)}`
  })
}

describe('labels of neighbours', () => {
  it.each([
    ['a| b| c', 'O O O', []],
    ['a| b| c', 'B-X I-X I-X', ['X:a b c']],
    ['a| b| c', 'B-X O I-X', ['X:a', 'X:c']],
    ['a| b| c', 'B-X B-X I-X', ['X:a', 'X:b c']],
    ['a| b| c', 'I-X I-X O', ['X:a b']],
    ['a| b| c', 'B-X I-Y I-Y', ['X:a', 'Y:b c']],
    ['a| b| c', 'B-X I-X E-X', ['X:a b c']],
    ['a| b| c', 'B-X E-X I-X', ['X:a b', 'X:c']],
    ['a| b| c', 'E-X E-X B-X', ['X:a', 'X:b', 'X:c']],
    ['a| b| c', 'S-X S-X I-X', ['X:a', 'X:b', 'X:c']],
    ['a| b| c', 'B-X S-X E-X', ['X:a', 'X:b', 'X:c']],
    ['a| b| c', 'P P O', ['P:a b']],
    ['a| b| c', 'P B-X P', ['P:a', 'X:b', 'P:c']],
  ])('%s as %s', (pieces, labels, expected) => {
    expect(merge(pieces, labels)).toEqual(expected)
  })
})

describe('the ends of an entity', () => {
  it.each([
    ['no blanks', ' | a| b\n', 'B-X I-X I-X', {}, ['X:a b']],
    ['nothing of blanks alone', 'a| \t|b', 'O B-X O', {}, []],
    ['inside a word', 'an|na|s x', 'O B-X O', {}, ['X:na']],
    ['whole words', 'an|na|s x', 'O B-X O', { wholeWords: true }, ['X:annas']],
    ['whole words united', 'an|na| b', 'B-X B-X O', { wholeWords: true }, ['X:anna']],
    ['whole words of two groups', 'an|na| b', 'B-X B-Y O', { wholeWords: true }, ['X:anna', 'Y:anna']],
    ['no further than the word', 'a|-b|, c', 'B-X O O', { wholeWords: true }, ['X:a']],
    ['marks', 'e|\u0301| b', 'B-X O O', { wholeWords: true }, ['X:e\u0301']],
    ['Han, where words have no blanks', '李|明|東', 'B-X O O', { wholeWords: true }, ['X:李']],
    ['letters beyond the basic plane', '𝔘|𝔫| x', 'B-X O O', { wholeWords: true }, ['X:𝔘𝔫']],
  ])('%s', (_, pieces, labels, changes, expected) => {
    expect(merge(pieces, labels, changes)).toEqual(expected)
  })

  it('is never inside a surrogate pair', () => {
    const tokens = [{ start: 1, end: 3, shares: shares({ 'B-X': 0.9 }) }]
    expect(mergeEntities('😀😀', tokens, options)).toMatchObject([{ start: 0, end: 4 }])
  })
})

describe('labels of words', () => {
  const text = 'anna b'
  const token = (start: number, end: number, given: Readonly<Record<string, number>>): ScoredToken => {
    return { start, end, shares: shares(given) }
  }
  const tokens = [token(0, 2, { O: 0.5, 'B-X': 0.4 }), token(2, 4, { 'B-X': 0.8 }), token(4, 6, { O: 0.9 })]

  it.each([
    ['first', []],
    ['average', [{ start: 0, end: 4, score: 0.6 }]],
    ['max', [{ start: 0, end: 4, score: 0.8 }]],
  ] as const)('%s', (aggregation, expected) => {
    const found = mergeEntities(text, tokens, { ...options, aggregation })
    expect(found).toEqual(expected.map((entity) => ({ ...entity, group: 'X', score: expect.closeTo(entity.score, 5) })))
  })

  it('that begin and end an entity at once do so over all of the word', () => {
    const words = toTokens('an|na| an|na', 'S-X O S-X O')
    const found = mergeEntities(words.text, words.tokens, { ...options, aggregation: 'first' })
    expect(found).toMatchObject([
      { start: 0, end: 4 },
      { start: 5, end: 9 },
    ])
  })
})

it('a score is the mean of the shares of the labels', () => {
  const tokens = [0.9, 0.5].map((share, index) => {
    return { start: index, end: index + 1, shares: shares({ [index === 0 ? 'B-X' : 'I-X']: share }) }
  })
  expect(mergeEntities('ab', tokens, options)).toMatchObject([{ score: expect.closeTo(0.7, 5) }])
})
