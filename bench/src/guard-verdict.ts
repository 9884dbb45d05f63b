import { toTable } from './figures.ts'
import { findMedianInterval, type MedianInterval } from './median-interval.ts'

/** Processor time of one server. */
export interface GuardFigures {
  /** A chat that is not streamed. */
  readonly chatUs: number
  /** An event of a stream. */
  readonly eventUs: number
  /** From spawn to readiness. */
  readonly startMs: number
}

/** The figures of both builds, measured at the same time. */
export interface Pair {
  readonly base: GuardFigures
  readonly head: GuardFigures
}

/** What the pairs say about one figure. */
export interface Verdict {
  readonly figure: keyof GuardFigures
  /** Medians of both builds. */
  readonly base: number
  readonly head: number
  /** The ratio of a pair, head over base. */
  readonly ratio: MedianInterval
  /** Above the limit, and beyond noise. */
  readonly fails: boolean
  /** The interval holds the limit: more pairs would say more. */
  readonly isOpen: boolean
}

/** The highest ratio that passes. */
export const LIMIT = 1.1

const NAMES: Readonly<Record<keyof GuardFigures, { readonly name: string; readonly digits: number }>> = {
  chatUs: { name: 'chat, µs', digits: 0 },
  eventUs: { name: 'event of a stream, µs', digits: 2 },
  startMs: { name: 'start, ms', digits: 0 },
}
const FIGURES = ['chatUs', 'eventUs', 'startMs'] as const

/**
 * Judges the pairs. A figure fails where the median of the ratios is above the limit and the whole interval of 95 %
 * confidence lies above 1.
 *
 * @param pairs six or more
 */
export function judge(pairs: readonly Pair[]): readonly Verdict[] {
  return FIGURES.map((figure) => {
    const pick = (side: keyof Pair): readonly number[] => pairs.map((pair) => pair[side][figure])
    const [base, head] = [pick('base'), pick('head')]
    const ratio = findMedianInterval(head.map((value, index) => value / (base[index] ?? Number.NaN)))
    return {
      figure,
      base: findMedianInterval(base).median,
      head: findMedianInterval(head).median,
      ratio,
      fails: ratio.median > LIMIT && ratio.low > 1,
      isOpen: ratio.low <= LIMIT && ratio.high > LIMIT,
    }
  })
}

/** The table of a run, as Markdown. */
export function toGuardTable(verdicts: readonly Verdict[], committed: GuardFigures | undefined): string {
  return toTable(
    ['processor time', 'base', 'this checkout', 'ratio', 'limit', '', 'committed'],
    verdicts.map(({ figure, base, head, ratio, fails, isOpen }) => {
      const { name, digits } = NAMES[figure]
      const { median, low, high } = ratio
      return [
        name,
        base.toFixed(digits),
        head.toFixed(digits),
        `${median.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`,
        LIMIT.toFixed(2),
        fails ? 'FAILS' : isOpen ? 'passes, noise holds the limit' : 'passes',
        committed === undefined ? '' : committed[figure].toFixed(digits),
      ]
    }),
  )
}
