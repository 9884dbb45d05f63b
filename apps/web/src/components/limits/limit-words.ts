import type { TFunction } from 'i18next'
import { formatDuration, formatNumber } from '../../lib/format.ts'
import { formatCost } from '../../lib/format-costs.ts'
import type { Limit } from '../../lib/limits.ts'
import { readWindow } from './windows.ts'

export type Measure = 'money' | 'tokens' | 'requests' | 'parallel'

/** A measure of a limit. */
export interface MeasuredPart {
  readonly measure: Measure
  /** Undefined for a limit of each, which has a count for every one. */
  readonly used: number | undefined
  readonly max: number
}

/** The measures that a limit bounds, in the order of the form. */
export function listMeasures(limit: Limit): readonly MeasuredPart[] {
  const { current } = limit
  const parts = [
    ['money', limit.max_cost_micros, current?.cost_micros],
    ['tokens', limit.max_total_tokens, current?.total_tokens],
    ['requests', limit.max_requests, current?.requests],
    ['parallel', limit.max_parallel, current?.parallel],
  ] as const
  return parts.flatMap(([measure, max, used]) => (max === null ? [] : [{ measure, max, used }]))
}

/** An amount of a measure. */
export function formatAmount(measure: Measure, amount: number, currency: string): string {
  return measure === 'money' && currency !== '' ? formatCost(amount, currency) : formatNumber(amount)
}

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** A duration such as `1h30m` in the reader's words; a text that is none stays. */
function sayLength(text: string): string {
  const parts = [...text.matchAll(/(\d+)(s|m|h|d)/g)]
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return text
  return formatDuration(parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS[unit ?? ''] ?? 0), 0))
}

/** When a window begins and ends, in words. */
export function sayWindow(t: TFunction<'limits'>, text: string): string {
  const { kind, length } = readWindow(text)
  return t(`every.${kind}`, { length: sayLength(length) })
}
