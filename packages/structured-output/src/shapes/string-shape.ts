import { choice, type Expression, fromSet, literal, NEVER, repeat, rule, sequence } from '../gbnf/expression.ts'
import { MAX_REPEAT } from '../limits.ts'
import { PLAIN, toCharacterSet, toSet } from '../patterns/code-points.ts'
import { findFormat } from '../patterns/formats.ts'
import { toStringPattern } from '../patterns/string-pattern.ts'
import type { Alternative } from '../schema/expand-alternatives.ts'
import { readText, refuse } from '../schema/keywords.ts'
import { countRange } from './facets.ts'
import type { RuleMaker } from './rule-maker.ts'

const QUOTE = literal('"')

/**
 * Texts of a length, of a pattern or of a format. The grammar uses the first pattern that it can express; the check
 * covers the rest.
 */
export function stringShape(places: Alternative, rules: RuleMaker): Expression {
  const bounds = countRange(places, 'minLength', 'maxLength')
  if (bounds.min > bounds.max) return NEVER
  for (const source of collectPatterns(places)) {
    const pattern = toStringPattern(source, bounds)
    if (pattern === undefined) continue
    rules.spend(pattern.cost)
    return sequence(QUOTE, pattern.expression, QUOTE)
  }
  if (bounds.min === 0 && bounds.max === Infinity) return rule('string')
  const [first] = places
  if (bounds.min > MAX_REPEAT && first !== undefined) {
    const owner = places.find((place) => countRange([place], 'minLength', 'maxLength').min > MAX_REPEAT) ?? first
    throw refuse(owner, 'minLength', `more than ${MAX_REPEAT} cannot be held while generating`)
  }
  const max = bounds.max > MAX_REPEAT ? Infinity : bounds.max
  return sequence(QUOTE, rules.counted(rule('char'), bounds.min, max), QUOTE)
}

function collectPatterns(places: Alternative): readonly string[] {
  return places.flatMap((place) => {
    const format = readText(place, 'format')
    const known = format === undefined ? undefined : findFormat(format)
    return [readText(place, 'pattern'), known?.pattern].filter((source) => source !== undefined)
  })
}

/**
 * The rules that texts without a pattern share. One `char` is one code point, so that the grammar can count lengths.
 */
export function stringRules(): readonly (readonly [string, Expression])[] {
  const hex = toSet([
    [0x30, 0x39],
    [0x41, 0x46],
    [0x61, 0x66],
  ])
  const notSurrogate = toSet([
    [0x30, 0x39],
    [0x41, 0x43],
    [0x45, 0x46],
    [0x61, 0x63],
    [0x65, 0x66],
  ])
  const code = choice(
    sequence(fromSet(notSurrogate), repeat(fromSet(hex), 3, 3)),
    sequence(fromSet(toCharacterSet('dD')), fromSet(toSet([[0x30, 0x37]])), repeat(fromSet(hex), 2, 2)),
  )
  const escaped = choice(fromSet(toCharacterSet('"\\/bfnrt')), sequence(literal('u'), code))
  return [
    ['char', choice(fromSet(PLAIN), sequence(literal('\\'), escaped))],
    ['string', sequence(QUOTE, repeat(rule('char'), 0, Infinity), QUOTE)],
  ]
}
