import { choice, EMPTY, type Expression, fromSet, literal, repeat, rule, sequence } from '../gbnf/expression.ts'
import type { GrammarBuilder } from '../grammar-builder.ts'
import { type CodePointSet, subtract, toCharacterSet, toSet } from '../patterns/code-points.ts'

const EVERYTHING: CodePointSet = toSet([[1, 0x10_ff_ff]])
/** Relevant characters of a marker; texts that contain them are left out. */
const MAX_MARKER = 32

/** Any text that does not begin with one of some characters. */
export function textNotStartingWith(characters: string): Expression {
  const start = subtract(EVERYTHING, toCharacterSet(characters))
  return choice(EMPTY, sequence(fromSet(start), repeat(fromSet(EVERYTHING), 0, Infinity)))
}

/**
 * Any text without a marker in it. Each rule represents the written part of the marker and knows the part that remains
 * after one more character.
 */
export function textWithout(marker: string, builder: GrammarBuilder): Expression {
  const wanted = [...marker].slice(0, MAX_MARKER)
  const others = subtract(EVERYTHING, toCharacterSet(wanted.join('')))
  const state = (length: number): Expression => rule(`outside-${length}-text`)
  for (const length of wanted.keys()) {
    const steps = [...new Set(wanted)].flatMap((character) => {
      const next = matchedAfter(wanted, length, character)
      return next === wanted.length ? [] : [sequence(literal(character), state(next))]
    })
    builder.define(`outside-${length}-text`, choice(EMPTY, ...steps, sequence(fromSet(others), state(0))))
  }
  return state(0)
}

/** Length of the marker's beginning at the end of a text, given that it was `length` before one more character. */
function matchedAfter(marker: readonly string[], length: number, character: string): number {
  const end = [...marker.slice(0, length), character]
  for (let size = Math.min(end.length, marker.length); size > 0; size -= 1) {
    const tail = end.slice(end.length - size)
    if (tail.every((one, index) => one === marker[index])) return size
  }
  return 0
}
