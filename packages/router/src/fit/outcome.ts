import { selectCandidate } from '../select-candidate.ts'
import type { RouterCandidate } from '../settings.ts'

/** The models among which labels choose. */
export interface Choice {
  readonly candidates: readonly RouterCandidate[]
  /** Serves where no candidate does. @default '' */
  readonly fallback?: string | undefined
}

/** How often one model served where another one was right, or the right one did. */
export interface ConfusionCell {
  readonly expected: string
  readonly served: string
  readonly count: number
}

/** How often a label was found. */
export interface LabelCounts {
  readonly label: string
  /** Active, and right. */
  readonly truePositives: number
  /** Active, and wrong. */
  readonly falsePositives: number
  /** Not active, and wrong. */
  readonly falseNegatives: number
}

/** The labels that a text has, and those that were found. */
export interface Outcome {
  readonly expected: readonly string[]
  readonly found: readonly string[]
}

/** The model that labels lead to. */
export function chooseModel(labels: readonly string[], { candidates, fallback = '' }: Choice): string {
  return selectCandidate(candidates, labels)?.model ?? fallback
}

/** Whether two lists hold the same labels. */
export function hasSameLabels(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((label) => other.includes(label))
}

/** Pairs of models with their counts, the largest count first. */
export function countPairs(pairs: Iterable<readonly [expected: string, served: string]>): ConfusionCell[] {
  const cells = new Map<string, { expected: string; served: string; count: number }>()
  for (const [expected, served] of pairs) {
    const key = JSON.stringify([expected, served])
    const cell = cells.get(key) ?? { expected, served, count: 0 }
    cell.count++
    cells.set(key, cell)
  }
  return [...cells.values()].sort((one, other) => other.count - one.count)
}

/** How often each label was found, in the order of the alphabet. */
export function countLabels(outcomes: readonly Outcome[]): LabelCounts[] {
  const labels = [...new Set(outcomes.flatMap(({ expected, found }) => [...expected, ...found]))].sort()
  return labels.map((label) => {
    const counts = { label, truePositives: 0, falsePositives: 0, falseNegatives: 0 }
    for (const { expected, found } of outcomes) {
      const [isExpected, isFound] = [expected.includes(label), found.includes(label)]
      if (isExpected && isFound) counts.truePositives++
      else if (isFound) counts.falsePositives++
      else if (isExpected) counts.falseNegatives++
    }
    return counts
  })
}
