import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createProbe } from '../probe/probe.ts'
import { all, any, type Condition, NoteList, not, type Truth, toCondition } from './condition.ts'
import { RequestView } from './view.ts'

const VIEW = new RequestView(
  { probe: createProbe(['x']), facts: {} },
  { targets: { describe: () => ({}) }, latencies: { find: () => undefined }, now: () => 0 },
)

type Tree =
  | { readonly leaf: Truth; readonly name: string }
  | { readonly all: readonly Tree[] }
  | { readonly any: readonly Tree[] }
  | { readonly not: Tree }

const { tree: trees } = fc.letrec<{ tree: Tree; leaf: Tree }>((tie) => ({
  leaf: fc.record({ leaf: fc.constantFrom(true, false, undefined), name: fc.string({ minLength: 1, maxLength: 3 }) }),
  tree: fc.oneof(
    { maxDepth: 4 },
    tie('leaf'),
    fc.record({ all: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ any: fc.array(tie('tree'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ not: tie('tree') }),
  ),
}))

function compile(tree: Tree): Condition {
  if ('leaf' in tree) return toCondition(tree.name, () => ({ truth: tree.leaf, value: String(tree.leaf) }))
  if ('not' in tree) return not(compile(tree.not))
  return 'all' in tree ? all(tree.all.map(compile)) : any(tree.any.map(compile))
}

const evaluate = (tree: Tree): Truth => compile(tree)(VIEW, new NoteList())

/** Truth as a number, so that `all` is the least and `any` the greatest. */
function rank(tree: Tree): number {
  if ('leaf' in tree) return tree.leaf === undefined ? 0 : tree.leaf ? 1 : -1
  if ('not' in tree) return -rank(tree.not)
  return 'all' in tree ? Math.min(...tree.all.map(rank)) : Math.max(...tree.any.map(rank))
}

const toTruth = (number: number): Truth => (number === 0 ? undefined : number > 0)

it('all is the least, any the greatest and not the opposite of its parts', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      expect(evaluate(tree)).toBe(toTruth(rank(tree)))
    }),
    { numRuns: 2_000 },
  )
})

it('obeys the laws of De Morgan and double negation', () => {
  fc.assert(
    fc.property(fc.array(trees, { minLength: 1, maxLength: 4 }), (parts) => {
      const opposites = parts.map((part) => ({ not: part }))
      expect(evaluate({ not: { all: parts } })).toBe(evaluate({ any: opposites }))
      expect(evaluate({ not: { any: parts } })).toBe(evaluate({ all: opposites }))
      expect(evaluate({ not: { not: { all: parts } } })).toBe(evaluate({ all: parts }))
    }),
    { numRuns: 1_000 },
  )
})

it('does not depend on the order of the parts', () => {
  fc.assert(
    fc.property(fc.array(trees, { minLength: 1, maxLength: 5 }), (parts) => {
      expect(evaluate({ all: parts.toReversed() })).toBe(evaluate({ all: parts }))
      expect(evaluate({ any: parts.toReversed() })).toBe(evaluate({ any: parts }))
    }),
  )
})

it('what is learned about an unknown signal never turns a known result around', () => {
  const learn = (tree: Tree, value: boolean): Tree => {
    if ('leaf' in tree) return { ...tree, leaf: tree.leaf ?? value }
    if ('not' in tree) return { not: learn(tree.not, value) }
    if ('all' in tree) return { all: tree.all.map((part) => learn(part, value)) }
    return { any: tree.any.map((part) => learn(part, value)) }
  }
  fc.assert(
    fc.property(trees, fc.boolean(), (tree, value) => {
      const before = evaluate(tree)
      if (before !== undefined) expect(evaluate(learn(tree, value))).toBe(before)
    }),
    { numRuns: 2_000 },
  )
})

it('a condition that holds names at least one signal, at most 16, and each as it is', () => {
  fc.assert(
    fc.property(trees, (tree) => {
      const list = new NoteList()
      if (compile(tree)(VIEW, list) !== true) return
      expect(list.notes.length).toBeGreaterThan(0)
      expect(list.notes.length).toBeLessThanOrEqual(16)
      for (const { signal, value } of list.notes) expect(value).toBe(String(!signal.startsWith('not ')))
    }),
    { numRuns: 2_000 },
  )
})
