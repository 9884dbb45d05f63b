import { EMPTY, type PatternNode, toSequence } from '../ast.ts'

/** Characters up to which a repeat is expanded; larger ones are counted. */
const WRITTEN_CHARACTERS = 24

/** Expands small repeats, so that only large ones are counted. */
export function unroll(node: PatternNode): PatternNode {
  switch (node.kind) {
    case 'literal':
    case 'class':
    case 'assertion':
      return node
    case 'sequence':
      return toSequence(node.items.map(unroll))
    case 'choice':
      return { kind: 'choice', arms: node.arms.map(unroll) }
    case 'repeat': {
      const body = unroll(node.body)
      const rounds = node.max === Number.POSITIVE_INFINITY ? node.min : node.max
      return rounds > 1 && rounds * characters(body) <= WRITTEN_CHARACTERS
        ? written(body, node.min, node.max)
        : { ...node, body }
    }
  }
}

/** The required rounds and, nested inside each other, the optional ones. */
function written(body: PatternNode, min: number, max: number): PatternNode {
  const must = Array.from({ length: min }, () => body)
  if (max === Number.POSITIVE_INFINITY) {
    return toSequence([...must.slice(1), { kind: 'repeat', body, min: 1, max }])
  }
  let may = EMPTY
  for (let round = min; round < max; round++) {
    may = { kind: 'repeat', body: toSequence([body, may]), min: 0, max: 1 }
  }
  return toSequence([...must, may])
}

/** Number of characters in a pattern. */
function characters(node: PatternNode): number {
  switch (node.kind) {
    case 'literal':
    case 'class':
      return 1
    case 'assertion':
      return 0
    case 'sequence':
      return node.items.reduce((sum, item) => sum + characters(item), 0)
    case 'choice':
      return node.arms.reduce((sum, arm) => sum + characters(arm), 0)
    case 'repeat':
      return characters(node.body)
  }
}
