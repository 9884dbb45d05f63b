import { describe, expect, it } from 'vitest'
import { oracleMatches } from './__fixtures__/oracle.ts'
import { acceptedPattern, Dice, nestedPattern, nestedText, randomText } from './__fixtures__/random-patterns.ts'
import { parseUnanchored } from './grammar.ts'
import { simplify } from './simplify.ts'

describe('repeats of repeats', () => {
  it.each([
    ['(?:a{2}){3}', 'a{6}'],
    ['(?:a{0,4096}){0,4096}', 'a{0,16777216}'],
    ['(?:a{2,3}){2,5}', 'a{4,15}'],
    ['(?:a*)*', 'a*'],
    ['(?:a+)+', 'a+'],
    ['(?:a?){3,5}', 'a{0,5}'],
    ['(?:a{1,2})*', 'a*'],
  ])('%s is %s', (nested, flat) => {
    const expected = /\{(\d+),?(\d*)\}|[*+]/.exec(flat)
    const node = simplify(parseUnanchored(nested))
    const [min, max] =
      expected?.[0] === '*'
        ? [0, Number.POSITIVE_INFINITY]
        : expected?.[0] === '+'
          ? [1, Number.POSITIVE_INFINITY]
          : [Number(expected?.[1]), Number(expected?.[2] || expected?.[1])]
    expect(node).toEqual({ kind: 'repeat', body: { kind: 'literal', code: 0x61 }, min, max })
  })

  it.each(['(?:a{2}){0,3}', '(?:a{3,4}){1,2}', '(?:a{2})*'])('%s stays: there are counts that it skips', (nested) => {
    expect(simplify(parseUnanchored(nested))).toMatchObject({ kind: 'repeat', body: { kind: 'repeat' } })
  })
})

it.each([
  ['(?:a{0,64}b{0,64})*', '(?:a|b)*'],
  ['(?:a{1,64}|b)+', '(?:a|b)+'],
  ['(?:(?:a{0,9}|(?:b?c{0,4096})?)x{0,3})*', '(?:(?:a|(?:b|c))|x)*'],
])('%s is %s', (nested, flat) => {
  expect(simplify(parseUnanchored(nested))).toEqual(parseUnanchored(flat))
})

it.each(['(?:a{2,64}|b)*', '(?:a{0,64}bc?)*', '(?:a{1,64}b{0,64}){2,}'])('%s keeps its counts', (nested) => {
  expect(simplify(parseUnanchored(nested))).toEqual(parseUnanchored(nested))
})

it('means the same', () => {
  const dice = new Dice(11)
  for (let round = 0; round < 600; round++) {
    const { node } = acceptedPattern(dice, 'small')
    const text = randomText(dice, 10)
    expect(oracleMatches(simplify(node), text)).toEqual(oracleMatches(node, text))
    const nested = parseUnanchored(nestedPattern(dice))
    const longer = nestedText(dice)
    expect(oracleMatches(simplify(nested), longer)).toEqual(oracleMatches(nested, longer))
  }
})
