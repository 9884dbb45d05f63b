import { compareActions } from './action.ts'
import { type JudgedDetection, withoutOperator } from './detector.ts'

/**
 * Unites overlapping detections. A union reaches from the first start to the last end of its members and has the group,
 * source, score and action of the strongest; adjacent detections stay separate. The result is in ascending order and
 * does not depend on the order of the input.
 */
export function resolveOverlaps(detections: readonly JudgedDetection[]): JudgedDetection[] {
  const result: JudgedDetection[] = []
  let union: Union | undefined
  for (const next of detections.toSorted((one, other) => one.start - other.start)) {
    if (union !== undefined && next.start < union.end) {
      union.isSingle &&= isSameFinding(next, union.winner)
      union.end = Math.max(union.end, next.end)
      if (comparePrecedence(next, union.winner) < 0) union.winner = next
      continue
    }
    if (union !== undefined) result.push(finish(union))
    union = { start: next.start, end: next.end, winner: next, isSingle: true }
  }
  if (union !== undefined) result.push(finish(union))
  return result
}

interface Union {
  readonly start: number
  end: number
  winner: JudgedDetection
  /** Whether all members are the same finding. */
  isSingle: boolean
}

function finish({ start, end, winner, isSingle }: Union): JudgedDetection {
  const united = { ...winner, start, end }
  // An operator may show a part of its value, so it never writes over another finding.
  return isSingle ? united : withoutOperator(united)
}

function isSameFinding(one: JudgedDetection, other: JudgedDetection): boolean {
  return one.start === other.start && one.end === other.end && one.group === other.group
}

/**
 * Negative when `one` names the union of both. A total order over all fields of a detection, so that the order of
 * detectors has no effect: stronger action, checked before unchecked, larger span, built-in with the more specific shape, NER before pattern,
 * group.
 */
function comparePrecedence(one: JudgedDetection, other: JudgedDetection): number {
  return (
    compareActions(other.action, one.action) ||
    compareChecks(one, other) ||
    other.end - other.start - (one.end - one.start) ||
    compareRanks(one.rank, other.rank) ||
    compareText(one.source, other.source) ||
    compareText(one.group, other.group) ||
    other.score - one.score
  )
}

function compareChecks(one: JudgedDetection, other: JudgedDetection): number {
  return Number(one.checked === false) - Number(other.checked === false)
}

function compareRanks(one = Number.MAX_VALUE, other = Number.MAX_VALUE): number {
  return one - other
}

/** By code units; `ner` comes before `pattern`. */
function compareText(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
