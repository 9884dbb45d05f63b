import {
  type Choice,
  type ConfusionCell,
  chooseExpected,
  chooseModel,
  countLabels,
  countPairs,
  type GroupCounts,
  hasExactLabels,
  type LabelCounts,
  type Outcome,
} from './outcome.ts'
import type { Expectation } from './samples.ts'

/** Results of thresholds on the texts. */
export interface FitPoint<T> {
  readonly thresholds: T
  /** The share of texts that the right model serves. */
  readonly accuracy: number
  /** The share of texts whose active labels are exactly theirs. */
  readonly exactLabels: number
}

/** Thresholds that fit labelled texts, and what they change. */
export interface FitReport<T> {
  readonly sampleCount: number
  readonly current: FitPoint<T>
  /** The present thresholds where no others do better. */
  readonly proposed: FitPoint<T>
  /** Whether the proposed thresholds do better than the present ones. */
  readonly hasGain: boolean
  /** With the proposed thresholds: the right model and the serving one. */
  readonly confusion: readonly ConfusionCell[]
  /** With the proposed thresholds. */
  readonly labels: readonly LabelCounts[]
  /** With the proposed thresholds: texts without labels, and how many of them the fallback serves. */
  readonly outOfScope: GroupCounts
  /** With the proposed thresholds: texts with several labels, and how many of them have exactly theirs. */
  readonly severalLabels: GroupCounts
  /**
   * Texts that another model serves than now: `expected` serves with the current thresholds, `served` with the
   * proposed.
   */
  readonly changes: readonly ConfusionCell[]
}

/** The thresholds to try, and the texts to try them on. */
export interface GridOptions<T> extends Choice {
  readonly samples: readonly Expectation[]
  /** Rows of thresholds, with near thresholds in neighbouring cells. */
  readonly grid: readonly (readonly T[])[]
  /** The place of the present thresholds in the grid. */
  readonly current: readonly [row: number, column: number]
  /** The labels that are active in a sample with these thresholds. */
  readonly activate: (sample: number, thresholds: T) => readonly string[]
  /** Above 0 where the first of two thresholds that do equally well is the better choice. */
  readonly prefer: (one: T, other: T) => number
}

interface Cell<T> extends FitPoint<T> {
  /** Mean accuracy of the cell and its neighbours. */
  readonly around: number
}

/** Means that differ by less are equal: they come from sums in another order. */
const TOLERANCE = 1e-9

/**
 * Tries all thresholds of a grid. The proposal serves more texts right than the present thresholds, or as many with
 * exacter labels, and so do the thresholds around it: a peak between worse ones would not hold for other texts. Of
 * several such thresholds, it is the one with the best neighbours, then the one with the best results of its own, then
 * the preferred one.
 */
export function searchGrid<T>(options: GridOptions<T>): FitReport<T> {
  const { samples, grid, activate, current: place } = options
  const run = (thresholds: T): Outcome[] =>
    samples.map((expected, index) => ({ expected, found: activate(index, thresholds) }))
  const rated = grid.map((row) => row.map((thresholds) => ({ thresholds, ...rate(run(thresholds), options) })))
  const cells = rated.map((row, y) => row.map((cell, x): Cell<T> => ({ ...cell, around: averageAround(rated, y, x) })))
  const now = cells[place[0]]?.[place[1]]
  if (now === undefined) throw new RangeError('the present thresholds are outside of the grid')
  const best = cells
    .flat()
    .filter((cell) => compareNumbers(cell.around, now.around) >= 0 && compareResults(cell, now) > 0)
    .reduce<Cell<T> | undefined>(
      (one, other) => (one === undefined || compareCells(other, one, options.prefer) > 0 ? other : one),
      undefined,
    )
  const proposed = toPoint(best ?? now)
  const [before, after] = [run(now.thresholds), run(proposed.thresholds)]
  const serve = ({ found }: Outcome) => chooseModel(found, options)
  return {
    sampleCount: samples.length,
    current: toPoint(now),
    proposed,
    hasGain: best !== undefined,
    confusion: countPairs(after.map((outcome) => [chooseExpected(outcome.expected, options), serve(outcome)])),
    labels: countLabels(after),
    outOfScope: countGroup(after.filter(isOutOfScope), (outcome) => isServedRight(outcome, options)),
    severalLabels: countGroup(
      after.filter(({ expected }) => expected.labels.length > 1),
      hasExactLabels,
    ),
    changes: countPairs(
      after
        .map((outcome, index) => [serve(before[index] ?? outcome), serve(outcome)] as const)
        .filter(([from, to]) => from !== to),
    ),
  }
}

function toPoint<T>({ thresholds, accuracy, exactLabels }: FitPoint<T>): FitPoint<T> {
  return { thresholds, accuracy, exactLabels }
}

function isOutOfScope({ expected }: Outcome): boolean {
  return expected.model === undefined && expected.labels.length === 0
}

function isServedRight({ expected, found }: Outcome, choice: Choice): boolean {
  return chooseExpected(expected, choice) === chooseModel(found, choice)
}

function countGroup(outcomes: readonly Outcome[], isRight: (outcome: Outcome) => boolean): GroupCounts {
  return { total: outcomes.length, correct: outcomes.filter(isRight).length }
}

function rate(outcomes: readonly Outcome[], choice: Choice): { accuracy: number; exactLabels: number } {
  const share = ({ total, correct }: GroupCounts) => (total === 0 ? 0 : correct / total)
  const labelled = outcomes.filter(({ expected }) => expected.model === undefined)
  return {
    accuracy: share(countGroup(outcomes, (outcome) => isServedRight(outcome, choice))),
    exactLabels: share(countGroup(labelled, hasExactLabels)),
  }
}

function averageAround<T>(rows: readonly (readonly FitPoint<T>[])[], y: number, x: number): number {
  const near = [y - 1, y, y + 1].flatMap((row) => rows[row]?.slice(Math.max(0, x - 1), x + 2) ?? [])
  return near.reduce((sum, { accuracy }) => sum + accuracy, 0) / near.length
}

function compareNumbers(one: number, other: number): number {
  return Math.abs(one - other) < TOLERANCE ? 0 : one - other
}

function compareResults<T>(one: FitPoint<T>, other: FitPoint<T>): number {
  return compareNumbers(one.accuracy, other.accuracy) || compareNumbers(one.exactLabels, other.exactLabels)
}

function compareCells<T>(one: Cell<T>, other: Cell<T>, prefer: GridOptions<T>['prefer']): number {
  return (
    compareNumbers(one.around, other.around) || compareResults(one, other) || prefer(one.thresholds, other.thresholds)
  )
}
