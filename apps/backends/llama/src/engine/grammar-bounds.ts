import { refused } from './grammar-cursor.ts'
import { type Item, MAX_DEPTH, type Rules, readRules, type Sequence } from './grammar-rules.ts'

const MAX_LENGTH = 512 * 1024
/** Most empty derivations, which the engine follows one by one at every position of an answer. */
const MAX_EMPTY_WAYS = 64
/** Most beginnings that the engine follows at one position. */
const MAX_BEGINNINGS = 65_536

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
