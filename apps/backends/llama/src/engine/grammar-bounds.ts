import { invalidRequest } from '../errors.ts'

/** The engine reads nested groups by recursion. */
const MAX_DEPTH = 128
const MAX_LENGTH = 512 * 1024
/** Most empty derivations, which the engine follows one by one at every position of an answer. */
const MAX_EMPTY_WAYS = 64
/** Most beginnings that the engine follows at one position. */
const MAX_BEGINNINGS = 65_536
/** Most expanded repeats of one item. */
const MAX_REPEATS = 2000

/** One item of a sequence. */
type Item =
  | { readonly kind: 'text'; readonly isEmpty: boolean }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'group'; readonly alternatives: readonly Sequence[] }
  | { readonly kind: 'repeat'; readonly item: Item; readonly min: number; readonly max: number }
type Sequence = readonly Item[]
type Rules = ReadonlyMap<string, readonly Sequence[]>

/**
 * Refuses a grammar that would block the engine: the engine follows all paths through items that may be empty, at every
 * token, and cannot be interrupted. Takes time in proportion to the length of the text.
 *
 * @throws LlamaError `invalid_request` for an invalid grammar, or one that is too large or can be empty in too many
 *   ways
 */
export function checkGrammarBounds(text: string): void {
  if (text.length > MAX_LENGTH) throw refused(`is longer than ${MAX_LENGTH} characters`)
  const rules = readRules(text)
  checkWays(rules)
}

function refused(reason: string): Error {
  return invalidRequest(`the grammar ${reason}`, 'Grammar')
}

/** The work of the engine: empty derivations, and beginnings. */
interface Ways {
  readonly empty: number
  readonly beginnings: number
}

const NONE: Ways = { empty: 0, beginnings: 0 }

function checkWays(rules: Rules): void {
  const known = new Map<string, Ways>()
  const open = new Set<string>()
  let isRecursive = false
  let largest = 0

  const bounded = (ways: Ways): Ways => {
    largest = Math.max(largest, ways.empty)
    if (ways.empty > MAX_EMPTY_WAYS) throw refused('can be empty in too many ways')
    if (ways.beginnings > MAX_BEGINNINGS) throw refused('can begin in too many ways')
    return ways
  }
  const ofRule = (name: string, depth: number): Ways => {
    const before = known.get(name)
    if (before !== undefined) return before
    if (open.has(name)) {
      isRecursive = true
      return NONE
    }
    if (depth > 4 * MAX_DEPTH) throw refused('refers too deep')
    open.add(name)
    const ways = ofAlternatives(rules.get(name) ?? [], depth + 1)
    open.delete(name)
    known.set(name, ways)
    return ways
  }
  const ofAlternatives = (alternatives: readonly Sequence[], depth: number): Ways => {
    let empty = 0
    let beginnings = 0
    for (const sequence of alternatives) {
      const ways = ofSequence(sequence, depth)
      empty += ways.empty
      beginnings += ways.beginnings
    }
    return bounded({ empty, beginnings })
  }
  const ofSequence = (sequence: Sequence, depth: number): Ways => {
    let empty = 1
    let beginnings = 0
    for (const item of sequence.toReversed()) {
      const ways = ofItem(item, depth)
      beginnings = ways.beginnings + ways.empty * beginnings
      empty *= ways.empty
      bounded({ empty, beginnings })
    }
    return { empty, beginnings }
  }
  const ofItem = (item: Item, depth: number): Ways => {
    switch (item.kind) {
      case 'text':
        return item.isEmpty ? { empty: 1, beginnings: 0 } : { empty: 0, beginnings: 1 }
      case 'rule':
        return ofRule(item.name, depth)
      case 'group':
        return ofAlternatives(item.alternatives, depth)
      case 'repeat':
        return ofRepeat(item, ofItem(item.item, depth))
    }
  }
  const ofRepeat = ({ min, max }: { readonly min: number; readonly max: number }, once: Ways): Ways => {
    if (once.empty > 0 && max > 1) throw refused('repeats an item that may be empty')
    const isOptional = min === 0
    return bounded({ empty: (isOptional ? 1 : 0) + once.empty, beginnings: once.beginnings })
  }

  for (const name of rules.keys()) ofRule(name, 0)
  // After a recursive rule, empty items pile up while the answer grows.
  if (isRecursive && largest > 1) throw refused('has rules within themselves and can be empty in more than one way')
}

/** Parses a grammar from left to right, once. */
function readRules(text: string): Rules {
  const rules = new Map<string, readonly Sequence[]>()
  let at = 0

  const fail = (): never => {
    throw refused(`cannot be read at character ${at}`)
  }
  /** Skips blanks and comments; line ends only where a rule may continue after them. */
  const skip = (overLines: boolean): void => {
    for (;;) {
      const letter = text[at]
      if (letter === ' ' || letter === '\t' || letter === '\r' || (overLines && letter === '\n')) at += 1
      else if (letter === '#') while (at < text.length && text[at] !== '\n') at += 1
      else return
    }
  }
  const readName = (): string => {
    const start = at
    while (at < text.length && /[A-Za-z0-9_-]/.test(text.charAt(at))) at += 1
    return at === start ? fail() : text.slice(start, at)
  }
  /** Reads a text or a set up to its closing mark; a backslash escapes the next character. */
  const readQuoted = (end: string): boolean => {
    at += 1
    const start = at
    while (at < text.length && text[at] !== end) at += text[at] === '\\' ? 2 : 1
    if (at >= text.length) fail()
    const isEmpty = at === start
    at += 1
    return isEmpty
  }
  const readNumber = (): number => {
    const start = at
    while (at < text.length && /\d/.test(text.charAt(at))) at += 1
    if (at === start || at - start > 6) fail()
    return Number(text.slice(start, at))
  }
  const readBraces = (): { min: number; max: number } => {
    at += 1
    skip(true)
    const min = text[at] === ',' ? 0 : readNumber()
    skip(true)
    let max = min
    if (text[at] === ',') {
      at += 1
      skip(true)
      max = text[at] === '}' ? Number.POSITIVE_INFINITY : readNumber()
      skip(true)
    }
    if (text[at] !== '}') fail()
    at += 1
    if (min > MAX_REPEATS || (max > MAX_REPEATS && max !== Number.POSITIVE_INFINITY)) throw refused('repeats too often')
    return { min, max }
  }
  const readRepeats = (item: Item): Item => {
    let repeated = item
    for (;;) {
      const letter = text[at]
      if (letter === '?') repeated = { kind: 'repeat', item: repeated, min: 0, max: 1 }
      else if (letter === '*') repeated = { kind: 'repeat', item: repeated, min: 0, max: Number.POSITIVE_INFINITY }
      else if (letter === '+') repeated = { kind: 'repeat', item: repeated, min: 1, max: Number.POSITIVE_INFINITY }
      else if (letter === '{') {
        repeated = { kind: 'repeat', item: repeated, ...readBraces() }
        continue
      } else return repeated
      at += 1
    }
  }
  const readItem = (depth: number): Item | undefined => {
    const letter = text[at]
    if (letter === '"') return { kind: 'text', isEmpty: readQuoted('"') }
    if (letter === '[') {
      readQuoted(']')
      return { kind: 'text', isEmpty: false }
    }
    if (letter === '.') {
      at += 1
      return { kind: 'text', isEmpty: false }
    }
    if (letter === '(') {
      if (depth >= MAX_DEPTH) throw refused(`nests deeper than ${MAX_DEPTH} groups`)
      at += 1
      const alternatives = readAlternatives(depth + 1)
      if (text[at] !== ')') fail()
      at += 1
      return { kind: 'group', alternatives }
    }
    return letter !== undefined && /[A-Za-z0-9_-]/.test(letter) ? { kind: 'rule', name: readName() } : undefined
  }
  const readAlternatives = (depth: number): Sequence[] => {
    const alternatives: Sequence[] = []
    let sequence: Item[] = []
    for (;;) {
      skip(depth > 0)
      const item = readItem(depth)
      if (item !== undefined) {
        sequence.push(readRepeats(item))
        continue
      }
      if (text[at] === '|') {
        alternatives.push(sequence)
        sequence = []
        at += 1
        skip(true)
        continue
      }
      // An alternative may stand on the next line.
      const end = at
      skip(true)
      if (depth === 0 && text[at] === '|') continue
      at = depth === 0 ? end : at
      alternatives.push(sequence)
      return alternatives
    }
  }

  for (skip(true); at < text.length; skip(true)) {
    const name = readName()
    skip(false)
    if (!text.startsWith('::=', at)) fail()
    at += 3
    skip(true)
    rules.set(name, readAlternatives(0))
    skip(false)
    if (at < text.length && text[at] !== '\n') fail()
  }
  return rules
}
