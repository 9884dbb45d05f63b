import type { CodePointSet } from '../patterns/code-points.ts'

/** The body of a grammar rule as a tree. */
export type Expression =
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'class'; readonly set: CodePointSet }
  | { readonly kind: 'rule'; readonly name: string }
  | { readonly kind: 'sequence'; readonly items: readonly Expression[] }
  /** Without options it has no match. */
  | { readonly kind: 'choice'; readonly options: readonly Expression[] }
  /** `max` is `Infinity` where there is no upper bound. */
  | { readonly kind: 'repeat'; readonly item: Expression; readonly min: number; readonly max: number }

/** Matches the empty text. */
export const EMPTY: Expression = { kind: 'sequence', items: [] }
/** Has no match. */
export const NEVER: Expression = { kind: 'choice', options: [] }

/** Exactly this text. */
export function literal(text: string): Expression {
  return text === '' ? EMPTY : { kind: 'literal', text }
}

/** One code point of a set. */
export function fromSet(set: CodePointSet): Expression {
  const [range] = set
  if (range === undefined) return NEVER
  const isSingle = set.length === 1 && range[0] === range[1]
  return isSingle ? literal(String.fromCodePoint(range[0])) : { kind: 'class', set }
}

/** A reference to a rule. */
export function rule(name: string): Expression {
  return { kind: 'rule', name }
}

/** Items in order. */
export function sequence(...items: readonly Expression[]): Expression {
  const flat = items.flatMap((item) => (item.kind === 'sequence' ? item.items : [item]))
  if (flat.some(isNever)) return NEVER
  const joined: Expression[] = []
  for (const item of flat) {
    const last = joined.at(-1)
    if (item.kind === 'literal' && last?.kind === 'literal') joined[joined.length - 1] = literal(last.text + item.text)
    else joined.push(item)
  }
  const [only] = joined
  return joined.length === 1 && only !== undefined ? only : { kind: 'sequence', items: joined }
}

/** One of the options. */
export function choice(...options: readonly Expression[]): Expression {
  const flat = options.flatMap((option) => (option.kind === 'choice' ? option.options : [option]))
  const [only] = flat
  return flat.length === 1 && only !== undefined ? only : { kind: 'choice', options: flat }
}

/** `min` to `max` repetitions. */
export function repeat(item: Expression, min: number, max: number): Expression {
  if (max === 0 || isEmpty(item)) return EMPTY
  if (isNever(item)) return min === 0 ? EMPTY : NEVER
  return min === 1 && max === 1 ? item : { kind: 'repeat', item, min, max }
}

/** Once or not at all. */
export function optional(item: Expression): Expression {
  return repeat(item, 0, 1)
}

/** Whether an expression has no match, without following rules. */
export function isNever(expression: Expression): boolean {
  return expression.kind === 'choice' && expression.options.length === 0
}

function isEmpty(expression: Expression): boolean {
  return expression.kind === 'sequence' && expression.items.length === 0
}
