import { classifyEmptiness, EMPTY, type PatternNode, toSequence } from './ast.ts'

/** Longer than any text, so equal to no bound. */
const UNREACHABLE = 2 ** 31

/**
 * The same language with fewer nodes: removes empty groups and merges repeats of repeats, so that a bound of thousands
 * inside another does not multiply.
 */
export function simplify(node: PatternNode): PatternNode {
  switch (node.kind) {
    case 'literal':
    case 'class':
    case 'assertion':
      return node
    case 'sequence':
      return toSequence(node.items.map(simplify).flatMap((item) => (item.kind === 'sequence' ? item.items : [item])))
    case 'choice':
      return {
        kind: 'choice',
        arms: node.arms.map(simplify).flatMap((arm) => (arm.kind === 'choice' ? arm.arms : [arm])),
      }
    case 'repeat':
      return simplifyRepeat(simplify(node.body), node.min, node.max)
  }
}

function simplifyRepeat(body: PatternNode, low: number, high: number): PatternNode {
  if (high === 0) return EMPTY
  // Rounds that may be empty need not be counted from below.
  const min = classifyEmptiness(body) === 'always' ? 0 : low
  const max = high >= UNREACHABLE ? Number.POSITIVE_INFINITY : high
  if (min === 1 && max === 1) return body
  if (body.kind === 'assertion') return min === 0 ? EMPTY : body
  if (body.kind === 'sequence' && body.items.length === 0) return EMPTY
  if (body.kind === 'repeat' && isGapless(body.min, body.max, min, max)) {
    return simplifyRepeat(body.body, times(body.min, min), times(body.max, max))
  }
  const isEndless = min <= 1 && max === Number.POSITIVE_INFINITY
  return { kind: 'repeat', body: isEndless ? loosened(body) : body, min, max }
}

/**
 * Another body that matches the same when it is repeated without an upper bound: inner repeats are unnecessary, and of
 * optional parts one a round is enough.
 */
function loosened(body: PatternNode): PatternNode {
  switch (body.kind) {
    case 'repeat':
      return body.min <= 1 ? loosened(body.body) : body
    case 'choice':
      return { kind: 'choice', arms: body.arms.map(loosened) }
    case 'sequence':
      return body.items.length > 1 && body.items.every((item) => classifyEmptiness(item) === 'always')
        ? { kind: 'choice', arms: body.items.map(loosened) }
        : body
    default:
      return body
  }
}

/** Whether `min` to `max` rounds of `low` to `high` items cover every count between the least and the most. */
function isGapless(low: number, high: number, min: number, max: number): boolean {
  if (min === max) return true
  const from = Math.max(min, 1)
  return (min > 0 || low <= 1) && (max <= from || (from + 1) * low <= from * high + 1)
}

function times(one: number, other: number): number {
  return one === 0 || other === 0 ? 0 : one * other
}
