import { choice, type Expression, fromSet, literal, repeat, sequence } from '../gbnf/expression.ts'
import { MAX_PATTERN_COST, MAX_REPEAT } from '../limits.ts'
import { type CodePointSet, complement, countCodePoints, includes, intersect, PLAIN } from './code-points.ts'
import { type PatternNode, parsePattern } from './parse-pattern.ts'

/** Number of code points of a text; `max` is `Infinity` without a bound. */
export interface LengthRange {
  readonly min: number
  readonly max: number
}

/** A pattern as the inside of a JSON string. */
export interface StringPattern {
  readonly expression: Expression
  /** Elements that the engine makes of the pattern. */
  readonly cost: number
}

const ESCAPES: readonly (readonly [number, string])[] = [
  [0x22, '\\"'],
  [0x5c, '\\\\'],
  [0x08, '\\b'],
  [0x0c, '\\f'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
  [0x09, '\\t'],
]
const ANY: PatternNode = { kind: 'repeat', item: { kind: 'set', set: complement([]) }, min: 0, max: Infinity }

/**
 * The texts in which a regular expression has a match, written as the inside of a JSON string. Undefined where a
 * grammar cannot express it, or only at too high a cost for the engine.
 */
export function toStringPattern(source: string, bounds: LengthRange): StringPattern | undefined {
  const parsed = parsePattern(source)
  const whole = parsed === undefined ? undefined : withoutAnchors(parsed)
  if (whole === undefined) return undefined
  const node = narrow(whole, bounds)
  const cost = measureCost(node)
  return cost > MAX_PATTERN_COST || !isSafe(node) ? undefined : { expression: toExpression(node), cost }
}

/** Anchors may only be at the ends. Where one is missing, any text may come before or after. */
function withoutAnchors(node: PatternNode): PatternNode | undefined {
  if (node.kind === 'choice') {
    const options = node.options.map(withoutAnchors).filter((option) => option !== undefined)
    return options.length === node.options.length ? { kind: 'choice', options } : undefined
  }
  const items = node.kind === 'sequence' ? [...node.items] : [node]
  const [only] = items
  if (items.length === 1 && only !== undefined && (only.kind === 'choice' || only.kind === 'sequence')) {
    return withoutAnchors(only)
  }
  const startsFixed = items[0]?.kind === 'start'
  if (startsFixed) items.shift()
  const endsFixed = items.at(-1)?.kind === 'end'
  if (endsFixed) items.pop()
  if (items.some(hasAnchor)) return undefined
  return { kind: 'sequence', items: [...(startsFixed ? [] : [ANY]), ...items, ...(endsFixed ? [] : [ANY])] }
}

function hasAnchor(node: PatternNode): boolean {
  if (node.kind === 'sequence') return node.items.some(hasAnchor)
  if (node.kind === 'choice') return node.options.some(hasAnchor)
  if (node.kind === 'repeat') return hasAnchor(node.item)
  return node.kind !== 'set'
}

/** Applies bounds to a pattern that repeats one class, the form of most patterns with bounds. */
function narrow(node: PatternNode, bounds: LengthRange): PatternNode {
  if (node.kind === 'sequence') {
    const [only] = node.items
    return node.items.length === 1 && only !== undefined ? narrow(only, bounds) : node
  }
  if (node.kind !== 'repeat' || node.item.kind !== 'set') return node
  const min = Math.max(node.min, bounds.min)
  const max = Math.min(node.max, bounds.max > MAX_REPEAT ? Infinity : bounds.max)
  return min <= max ? { ...node, min, max } : node
}

function measureCost(node: PatternNode): number {
  switch (node.kind) {
    case 'sequence':
      return node.items.reduce((sum, item) => sum + measureCost(item), 0)
    case 'choice':
      return node.options.reduce((sum, option) => sum + measureCost(option), 0)
    case 'repeat':
      return measureCost(node.item) * Math.max(1, node.max === Infinity ? node.min : node.max)
    default:
      return 1
  }
}

/** An expression with an empty match must not be repeated without end: the engine takes that for left recursion. */
function isSafe(node: PatternNode): boolean {
  if (node.kind === 'sequence') return node.items.every(isSafe)
  if (node.kind === 'choice') return node.options.every(isSafe)
  if (node.kind !== 'repeat') return true
  return isSafe(node.item) && (node.max <= 1 || measureLengths(node.item).min > 0)
}

function measureLengths(node: PatternNode): LengthRange {
  switch (node.kind) {
    case 'set':
      return { min: 1, max: 1 }
    case 'sequence': {
      const all = node.items.map(measureLengths)
      return { min: sum(all.map(({ min }) => min)), max: sum(all.map(({ max }) => max)) }
    }
    case 'choice': {
      const all = node.options.map(measureLengths)
      return { min: Math.min(...all.map(({ min }) => min)), max: Math.max(...all.map(({ max }) => max)) }
    }
    case 'repeat': {
      const { min, max } = measureLengths(node.item)
      return { min: min * node.min, max: node.max === 0 || max === 0 ? 0 : max * node.max }
    }
    default:
      return { min: 0, max: 0 }
  }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function toExpression(node: PatternNode): Expression {
  switch (node.kind) {
    case 'set':
      return toStringCharacter(node.set)
    case 'sequence':
      return sequence(...node.items.map(toExpression))
    case 'choice':
      return choice(...node.options.map(toExpression))
    case 'repeat':
      return repeat(toExpression(node.item), node.min, node.max)
    default:
      return choice()
  }
}

/** One character of a set in a JSON string, escaped where necessary. */
function toStringCharacter(set: CodePointSet): Expression {
  const plain = intersect(set, PLAIN)
  const escaped = ESCAPES.filter(([codePoint]) => includes(set, codePoint)).map(([, text]) => literal(text))
  const options = [...(plain.length === 0 ? [] : [fromSet(plain)]), ...escaped]
  if (options.length > 0) return choice(...options)
  // Sets of only control characters without a short escape; a wider set has other characters to choose from.
  return countCodePoints(set) > 32
    ? choice()
    : choice(...listCodePoints(set).map((one) => literal(JSON.stringify(one).slice(1, -1))))
}

function listCodePoints(set: CodePointSet): string[] {
  return set.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, offset) => String.fromCodePoint(first + offset)),
  )
}
