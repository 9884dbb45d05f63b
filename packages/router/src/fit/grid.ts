import {
  type Choice,
  type ConfusionCell,
  chooseModel,
  countLabels,
  countPairs,
  hasSameLabels,
  type LabelCounts,
  type Outcome,
} from './outcome.ts'

/** How well thresholds do. */
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
  readonly proposed: FitPoint<T>
  /** With the proposed thresholds: the right model and the one that serves. */
  readonly confusion: readonly ConfusionCell[]
  /** With the proposed thresholds. */
  readonly labels: readonly LabelCounts[]
  /** Texts that another model serves than now: `expected` serves with the current thresholds, `served` with the proposed. */
  readonly changes: readonly ConfusionCell[]
}

/** The thresholds to try, and the texts to try them on. */
export interface GridOptions<T> extends Choice {
  readonly samples: readonly { readonly labels: readonly string[] }[]
  readonly current: T
  /** Rows of thresholds that stand beside each other. */
  readonly grid: readonly (readonly T[])[]
  /** The labels that are active in a sample with these thresholds. */
  readonly activate: (sample: number, thresholds: T) => readonly string[]
}

interface Cell<T> extends FitPoint<T> {
  /** Mean accuracy of the cell and those around it. */
  readonly around: number
}

/**
 * Tries all thresholds of a grid. The proposal serves most texts right; of equals, it has the exacter labels, then the
 * better neighbours: thresholds at the edge of what works would work less well for other texts.
 */
export function searchGrid<T>(options: GridOptions<T>): FitReport<T> {
  const { samples, current, grid, activate } = options
  const run = (thresholds: T): Outcome[] =>
    samples.map(({ labels }, index) => ({ expected: labels, found: activate(index, thresholds) }))
  const rate = (thresholds: T): FitPoint<T> => ({ thresholds, ...rateOutcomes(run(thresholds), options) })
  const rated = grid.map((row) => row.map(rate))
  const cells = rated.flatMap((row, y) =>
    row.map((cell, x): Cell<T> => ({ ...cell, around: averageAround(rated, y, x) })),
  )
  const now = rate(current)
  const best = cells.reduce((one, other) => (compareCells(other, one) > 0 ? other : one), { ...now, around: 0 })
  const { around: _, ...proposed } = best
  const [before, after] = [run(current), run(proposed.thresholds)]
  const serve = ({ found }: Outcome) => chooseModel(found, options)
  return {
    sampleCount: samples.length,
    current: now,
    proposed,
    confusion: countPairs(after.map((outcome) => [chooseModel(outcome.expected, options), serve(outcome)])),
    labels: countLabels(after),
    changes: countPairs(
      after
        .map((outcome, index) => [serve(before[index] ?? outcome), serve(outcome)] as const)
        .filter(([from, to]) => from !== to),
    ),
  }
}

function rateOutcomes(outcomes: readonly Outcome[], choice: Choice): { accuracy: number; exactLabels: number } {
  const share = (isRight: (outcome: Outcome) => boolean) =>
    outcomes.length === 0 ? 0 : outcomes.filter(isRight).length / outcomes.length
  return {
    accuracy: share(({ expected, found }) => chooseModel(expected, choice) === chooseModel(found, choice)),
    exactLabels: share(({ expected, found }) => hasSameLabels(expected, found)),
  }
}

function averageAround<T>(rows: readonly (readonly FitPoint<T>[])[], y: number, x: number): number {
  const near = [y - 1, y, y + 1].flatMap((row) => rows[row]?.slice(Math.max(0, x - 1), x + 2) ?? [])
  return near.reduce((sum, { accuracy }) => sum + accuracy, 0) / near.length
}

function compareCells<T>(one: Cell<T>, other: Cell<T>): number {
  return one.accuracy - other.accuracy || one.exactLabels - other.exactLabels || one.around - other.around
}
