import { choice, EMPTY, type Expression, fromSet, literal, NEVER, repeat, rule, sequence } from '../gbnf/expression.ts'
import { PLAIN, subtract, toCharacterSet } from '../patterns/code-points.ts'

interface Branch {
  readonly next: Map<string, Branch>
  isName: boolean
}

/** Characters of a listed name that are distinguished; all names with the same beginning are left out. */
const MAX_DEPTH = 48
const SHORT_ESCAPES = '"\\bfnrt'

/**
 * A property name other than the given ones, in quotation marks. Up to the point where it differs from all of them it
 * has no `\u` escapes, which could spell a listed name in another way.
 */
export function freeKey(names: readonly string[]): Expression {
  if (names.length === 0) return rule('string')
  const root: Branch = { next: new Map(), isName: false }
  for (const name of names) addName(root, name)
  return sequence(literal('"'), others(root, 0), literal('"'))
}

function addName(root: Branch, name: string): void {
  let branch = root
  for (const character of [...name].slice(0, MAX_DEPTH)) {
    const symbol = JSON.stringify(character).slice(1, -1)
    const next: Branch = branch.next.get(symbol) ?? { next: new Map(), isName: false }
    branch.next.set(symbol, next)
    branch = next
  }
  branch.isName = true
}

function others(branch: Branch, depth: number): Expression {
  if (depth >= MAX_DEPTH) return NEVER
  // Any continuation here is longer than the name.
  if (branch.next.size === 0) return repeat(rule('char'), branch.isName ? 1 : 0, Infinity)
  const symbols = [...branch.next.keys()]
  const plain = subtract(PLAIN, toCharacterSet(symbols.filter((symbol) => [...symbol].length === 1).join('')))
  const letters = [...SHORT_ESCAPES].filter((letter) => !branch.next.has(`\\${letter}`)).join('')
  const different = choice(fromSet(plain), sequence(literal('\\'), fromSet(toCharacterSet(letters))))
  return choice(
    branch.isName ? NEVER : EMPTY,
    sequence(different, repeat(rule('char'), 0, Infinity)),
    ...[...branch.next].map(([symbol, next]) => sequence(literal(symbol), others(next, depth + 1))),
  )
}
