import { describe, expect, it } from 'vitest'
import { oracleMatches } from './__fixtures__/oracle.ts'
import { acceptedPattern, Dice, randomText } from './__fixtures__/random-patterns.ts'
import { contains } from './code-set.ts'
import { parsePattern } from './grammar.ts'
import { chooseRequiredLiterals } from './required-literals.ts'
import { simplify } from './simplify.ts'

const findLiterals = (source: string): readonly string[] | undefined =>
  chooseRequiredLiterals(simplify(parsePattern(source)))?.literals

describe('the required texts', () => {
  it.each([
    ['sk-ant-[A-Za-z0-9_-]{20,}', ['sk-ant-']],
    ['(?:ghp|gho)_[A-Za-z0-9]{36}', ['ghp_', 'gho_']],
    ['xox[abprs]-[0-9]{10,}', ['xoxa-', 'xoxb-', 'xoxp-', 'xoxr-', 'xoxs-']],
    ['[\\w.]+@corp\\.test', ['@corp.test']],
    ['\\d{4}-card-\\d{4}', ['-card-']],
    ['abc|def', ['abc', 'def']],
    ['\\bsecret\\b', ['secret']],
    ['colou?r-code', ['color-code', 'colour-code']],
    ['(?:ab){2}', ['abab']],
  ])('%s', (source, literals) => {
    expect(findLiterals(source)?.toSorted()).toEqual(literals.toSorted())
  })

  it('a literal that a match begins with is known as one', () => {
    expect(chooseRequiredLiterals(simplify(parsePattern('tok-\\w+')))).toMatchObject({ isPrefix: true })
    expect(chooseRequiredLiterals(simplify(parsePattern('\\w+-tok')))).toMatchObject({
      isPrefix: false,
      maxBefore: Number.POSITIVE_INFINITY,
    })
  })

  it('a run that only stands across rounds is found too', () => {
    expect(findLiterals('(?:bc[0-9]a){2}')).toEqual(['abc'])
  })
})

it('every match holds one of them, in reach of its start', () => {
  const dice = new Dice(31)
  let checked = 0
  for (let round = 0; round < 6000; round++) {
    const { source, node } = acceptedPattern(dice, 'small')
    const text = randomText(dice, 14)
    const required = chooseRequiredLiterals(simplify(node))
    if (required === undefined) continue
    for (const [start, end] of oracleMatches(node, text)) {
      checked++
      const match = text.slice(start, end)
      const reached = required.literals.some((literal) => {
        if (required.isPrefix) return match.startsWith(literal)
        const at = match.indexOf(literal)
        const before = [...match.slice(0, Math.max(at, 0))].every((char) =>
          contains(required.before, char.codePointAt(0) ?? 0),
        )
        return at >= 0 && before && at <= required.maxBefore
      })
      expect([source, match, reached]).toEqual([source, match, true])
    }
  }
  expect(checked).toBeGreaterThan(500)
})
