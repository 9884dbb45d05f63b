import { GrammarCursor, refused } from './grammar-cursor.ts'

/** The engine reads nested groups by recursion. */
export const MAX_DEPTH = 128
/** Most expanded repeats of one item. */
const MAX_REPEATS = 2000

/** One item of a sequence. */
export type Item =
  | { readonly kind: 'text'; readonly isEmpty: boolean }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'group'; readonly alternatives: readonly Sequence[] }
  | { readonly kind: 'repeat'; readonly item: Item; readonly min: number; readonly max: number }
export type Sequence = readonly Item[]
export type Rules = ReadonlyMap<string, readonly Sequence[]>

const SIGNS: ReadonlyMap<string, { readonly min: number; readonly max: number }> = new Map([
  ['?', { min: 0, max: 1 }],
  ['*', { min: 0, max: Number.POSITIVE_INFINITY }],
  ['+', { min: 1, max: Number.POSITIVE_INFINITY }],
])

/** Parses a grammar from left to right, once. */
export function readRules(text: string): Rules {
  const rules = new Map<string, readonly Sequence[]>()
  const cursor = new GrammarCursor(text)
  for (cursor.skip(true); !cursor.isAtEnd; cursor.skip(true)) {
    const name = cursor.readName()
    cursor.skip(false)
    cursor.expect('::=')
    cursor.skip(true)
    rules.set(name, readAlternatives(cursor, 0))
    cursor.skip(false)
    if (!cursor.isAtEnd && cursor.letter !== '\n') cursor.fail()
  }
  return rules
}

/** Reads the alternatives of a rule or, deeper, of a group. */
function readAlternatives(cursor: GrammarCursor, depth: number): Sequence[] {
  const alternatives: Sequence[] = []
  let sequence: Item[] = []
  for (;;) {
    cursor.skip(depth > 0)
    const item = readItem(cursor, depth)
    if (item !== undefined) {
      sequence.push(readRepeats(cursor, item))
      continue
    }
    // The next alternative may be on the next line.
    const hasNext = depth === 0 ? cursor.skipTo('|') : cursor.letter === '|'
    alternatives.push(sequence)
    if (!hasNext) return alternatives
    sequence = []
    cursor.take('|')
    cursor.skip(true)
  }
}

function readItem(cursor: GrammarCursor, depth: number): Item | undefined {
  switch (cursor.letter) {
    case '"':
      return { kind: 'text', isEmpty: cursor.readQuoted('"') }
    case '[':
      cursor.readQuoted(']')
      return { kind: 'text', isEmpty: false }
    case '.':
      cursor.take('.')
      return { kind: 'text', isEmpty: false }
    case '(':
      return readGroup(cursor, depth)
    default:
      return cursor.isAtName ? { kind: 'rule', name: cursor.readName() } : undefined
  }
}

function readGroup(cursor: GrammarCursor, depth: number): Item {
  if (depth >= MAX_DEPTH) throw refused(`nests deeper than ${MAX_DEPTH} groups`)
  cursor.take('(')
  const alternatives = readAlternatives(cursor, depth + 1)
  cursor.expect(')')
  return { kind: 'group', alternatives }
}

/** Reads the signs and counts of repeats behind an item. */
function readRepeats(cursor: GrammarCursor, item: Item): Item {
  let repeated = item
  for (;;) {
    const { letter = '' } = cursor
    const repeats = letter === '{' ? readBraces(cursor) : SIGNS.get(letter)
    if (repeats === undefined) return repeated
    if (letter !== '{') cursor.take(letter)
    repeated = { kind: 'repeat', item: repeated, ...repeats }
  }
}

function readBraces(cursor: GrammarCursor): { readonly min: number; readonly max: number } {
  cursor.take('{')
  cursor.skip(true)
  const min = cursor.letter === ',' ? 0 : cursor.readNumber()
  cursor.skip(true)
  let max = min
  if (cursor.take(',')) {
    cursor.skip(true)
    max = cursor.letter === '}' ? Number.POSITIVE_INFINITY : cursor.readNumber()
    cursor.skip(true)
  }
  cursor.expect('}')
  if (min > MAX_REPEATS || (max > MAX_REPEATS && max !== Number.POSITIVE_INFINITY)) throw refused('repeats too often')
  return { min, max }
}
