import { all, any, type Condition, not } from './condition.ts'
import type { ConditionContext } from './condition-context.ts'
import type { Path } from './settings-reader.ts'
import { readLeaf, SIGNAL_KEYS, type SignalKey } from './signals.ts'

/** Most conditions inside of one another. */
const MAX_DEPTH = 8
/** Most signals and combinations of a rule. */
const MAX_PARTS = 64
const COMBINATIONS = ['all', 'any', 'not'] as const
const KEYS: readonly string[] = [...COMBINATIONS, ...SIGNAL_KEYS]

/** Compiles the condition of a rule; undefined where it has a mistake. */
export function readCondition(value: unknown, path: Path, context: ConditionContext): Condition | undefined {
  return readNode(value, path, { ...context, depth: 1, parts: { left: MAX_PARTS } })
}

interface Place extends ConditionContext {
  readonly depth: number
  readonly parts: { left: number }
}

function readNode(value: unknown, path: Path, place: Place): Condition | undefined {
  const { reader, depth, parts } = place
  if (depth > MAX_DEPTH) return reader.report(path, `is nested more than ${MAX_DEPTH} deep`)
  const node = reader.object(value, path)
  if (node === undefined) return undefined
  reader.keys(node, KEYS, path)
  const keys = Object.keys(node).filter((key) => KEYS.includes(key) && node[key] !== undefined)
  if (keys.length === 0)
    return Object.values(node).some((each) => each !== undefined) ? undefined : reader.report(path, 'names no signal')
  parts.left -= keys.length
  if (parts.left < 0) return reader.report(path, `has more than ${MAX_PARTS} parts`)
  const conditions = keys.map((key) => readPart(key, node[key], [...path, key], place))
  const whole = conditions.filter((condition) => condition !== undefined)
  if (whole.length < conditions.length) return undefined
  const [first, second] = whole
  return first !== undefined && second === undefined ? first : all(whole)
}

function readPart(key: string, value: unknown, path: Path, place: Place): Condition | undefined {
  const inner = { ...place, depth: place.depth + 1 }
  if (key === 'not') {
    const negated = readNode(value, path, inner)
    return negated && not(negated)
  }
  if (key !== 'all' && key !== 'any') return readLeaf(key as SignalKey, value, path, place)
  if (!Array.isArray(value) || value.length === 0) return place.reader.report(path, 'must be a list of conditions')
  const parts = value.map((each, index) => readNode(each, [...path, index], inner))
  const whole = parts.filter((part) => part !== undefined)
  if (whole.length < parts.length) return undefined
  return key === 'all' ? all(whole) : any(whole)
}
