import { selectCandidate } from '../select-candidate.ts'
import type { RouterCandidate } from '../settings.ts'
import type { Expectation } from './samples.ts'

/** The models among which labels choose. */
export interface Choice {
  readonly candidates: readonly RouterCandidate[]
  /** Serves where no candidate does. @default '' */
  readonly fallback?: string | undefined
}

/** Number of texts that one model served and that another, or the same one, should have served. */
export interface ConfusionCell {
  readonly expected: string
  readonly served: string
  readonly count: number
}

/** Counts of a label, found and missed. */
export interface LabelCounts {
  readonly label: string
  /** Active, and right. */
  readonly truePositives: number
  /** Active, and wrong. */
  readonly falsePositives: number
  /** Not active, and wrong. */
  readonly falseNegatives: number
}

/** Number of texts of a group, and of its right ones. */
export interface GroupCounts {
  readonly total: number
  readonly correct: number
}

/** The labels that a text has, or the model that should serve it, and the labels that were found. */
export interface Outcome {
  readonly expected: Expectation
  readonly found: readonly string[]
}

/** The model that labels lead to. */
export function chooseModel(labels: readonly string[], { candidates, fallback = '' }: Choice): string {
  return selectCandidate(candidates, labels)?.model ?? fallback
}

/** The model that should serve a text. */
export function chooseExpected({ labels, model }: Expectation, choice: Choice): string {
  return model ?? chooseModel(labels, choice)
}

/** Whether exactly the labels of a text were found. The labels of a text that names a model are unknown. */
export function hasExactLabels({ expected, found }: Outcome): boolean {
  return expected.model === undefined && hasSameLabels(expected.labels, found)
}

/** Whether two lists hold the same labels. */
function hasSameLabels(one: readonly string[], other: readonly string[]): boolean {
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

/** The counts of each label, in the order of the alphabet. Texts that name a model do not count. */
export function countLabels(outcomes: readonly Outcome[]): LabelCounts[] {
  const labelled = outcomes.filter(({ expected }) => expected.model === undefined)
  const labels = [...new Set(labelled.flatMap(({ expected, found }) => [...expected.labels, ...found]))].sort()
  return labels.map((label) => {
    const counts = { label, truePositives: 0, falsePositives: 0, falseNegatives: 0 }
    for (const { expected, found } of labelled) {
      const [isExpected, isFound] = [expected.labels.includes(label), found.includes(label)]
      if (isExpected && isFound) counts.truePositives++
      else if (isFound) counts.falsePositives++
      else if (isExpected) counts.falseNegatives++
    }
    return counts
  })
}
