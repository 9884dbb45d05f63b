import type { CodeSet } from './code-set.ts'

/** Conditions under which a pattern matches without taking a character. */
export type AssertionKind = 'start' | 'end' | 'word-boundary'

/** A pattern of the grammar, parsed. `max` of a repeat is Infinity for `*`, `+` and `{m,}`. */
export type PatternNode =
  /** One literal character. */
  | { readonly kind: 'literal'; readonly code: number }
  /** One character of a set. */
  | { readonly kind: 'class'; readonly set: CodeSet }
  | { readonly kind: 'assertion'; readonly assertion: AssertionKind }
  /** All of the items in order; no items match the empty text. */
  | { readonly kind: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly kind: 'choice'; readonly arms: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly body: PatternNode; readonly min: number; readonly max: number }

/** Matches the empty text. */
export const EMPTY: PatternNode = { kind: 'sequence', items: [] }

/** A sequence of items, without a wrapper around a single one. */
export function toSequence(items: readonly PatternNode[]): PatternNode {
  const [only] = items
  return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items }
}

/** The code points of a node of one character; undefined for any other node. */
export function toSingleSet(node: PatternNode): CodeSet | undefined {
  if (node.kind === 'literal') return [node.code, node.code]
  return node.kind === 'class' ? node.set : undefined
}

/** Whether a node can match without taking a character; `conditional` when an assertion must hold then. */
export function classifyEmptiness(node: PatternNode): 'never' | 'conditional' | 'always' {
  switch (node.kind) {
    case 'literal':
    case 'class':
      return 'never'
    case 'assertion':
      return 'conditional'
    case 'sequence': {
      const all = node.items.map(classifyEmptiness)
      if (all.includes('never')) return 'never'
      return all.includes('conditional') ? 'conditional' : 'always'
    }
    case 'choice': {
      const all = node.arms.map(classifyEmptiness)
      if (all.includes('always')) return 'always'
      return all.includes('conditional') ? 'conditional' : 'never'
    }
    case 'repeat':
      return node.min === 0 ? 'always' : classifyEmptiness(node.body)
  }
}

/** Whether any condition is in a node. */
export function hasAssertion(node: PatternNode): boolean {
  switch (node.kind) {
    case 'assertion':
      return true
    case 'sequence':
      return node.items.some(hasAssertion)
    case 'choice':
      return node.arms.some(hasAssertion)
    case 'repeat':
      return hasAssertion(node.body)
    default:
      return false
  }
}

/** The most UTF-16 code units a node can match; Infinity without a bound. */
export function measureMaxLength(node: PatternNode): number {
  switch (node.kind) {
    case 'literal':
      return node.code > 0xffff ? 2 : 1
    case 'class':
      return (node.set.at(-1) ?? 0) > 0xffff ? 2 : 1
    case 'assertion':
      return 0
    case 'sequence':
      return node.items.reduce((sum, item) => sum + measureMaxLength(item), 0)
    case 'choice':
      return Math.max(...node.arms.map(measureMaxLength))
    case 'repeat': {
      const length = measureMaxLength(node.body)
      return length === 0 || node.max === 0 ? 0 : length * node.max
    }
  }
}

/** Every set of characters that a node may take. */
export function collectSets(node: PatternNode): CodeSet[] {
  switch (node.kind) {
    case 'literal':
      return [[node.code, node.code]]
    case 'class':
      return [node.set]
    case 'assertion':
      return []
    case 'sequence':
      return node.items.flatMap(collectSets)
    case 'choice':
      return node.arms.flatMap(collectSets)
    case 'repeat':
      return collectSets(node.body)
  }
}
