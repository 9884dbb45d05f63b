import { choice, EMPTY, type Expression, literal, oneOf, repeat, rule, sequence } from '../gbnf/expression.ts'
import type { GrammarBuilder } from '../grammar-builder.ts'
import { type CodePointSet, charactersOf, subtract, toSet } from '../patterns/code-points.ts'

const EVERYTHING: CodePointSet = toSet([[1, 0x10_ff_ff]])
/** Characters of a marker that count; texts with these in them are left out. */
const MAX_MARKER = 32

/** Any text that does not begin with one of some characters. */
export function textNotStartingWith(characters: string): Expression {
  const start = subtract(EVERYTHING, charactersOf(characters))
  return choice(EMPTY, sequence(oneOf(start), repeat(oneOf(EVERYTHING), 0, Infinity)))
}

/**
 * Any text that does not have a marker in it. There is a rule for every part of the marker that may just have been
 * written; each knows how much of it is still the beginning of the marker after one character more.
 */
export function textWithout(marker: string, builder: GrammarBuilder): Expression {
  const wanted = [...marker].slice(0, MAX_MARKER)
  const others = subtract(EVERYTHING, charactersOf(wanted.join('')))
  const state = (length: number): Expression => rule(`outside-${length}-text`)
  for (const length of wanted.keys()) {
    const steps = [...new Set(wanted)].flatMap((character) => {
      const next = matchedAfter(wanted, length, character)
      return next === wanted.length ? [] : [sequence(literal(character), state(next))]
    })
    builder.define(`outside-${length}-text`, choice(EMPTY, ...steps, sequence(oneOf(others), state(0))))
  }
  return state(0)
}

/** How much of the marker a text ends with that ended with `length` characters of it, and then got one more. */
function matchedAfter(marker: readonly string[], length: number, character: string): number {
  const end = [...marker.slice(0, length), character]
  for (let size = Math.min(end.length, marker.length); size > 0; size -= 1) {
    const tail = end.slice(end.length - size)
    if (tail.every((one, index) => one === marker[index])) return size
  }
  return 0
}
