import { formatDuration, parseDuration } from '../duration.ts'
import { CALENDAR_UNITS, type LimitWindow } from '../ports/limits.ts'

const MIN_MS = 1000
const MAX_MS = 366 * 86_400_000
const LENGTH = /^(rolling|fixed) (\S{1,40})$/

/** A window as people write it: `minute`, `hour`, `day`, `month`, `rolling 5h`, `fixed 7d`. */
export function parseWindow(text: string): LimitWindow | undefined {
  const unit = CALENDAR_UNITS.find((known) => known === text.trim())
  if (unit !== undefined) return { kind: 'calendar', unit }
  const [, kind, length = ''] = LENGTH.exec(text.trim()) ?? []
  const ms = kind === undefined ? undefined : parseDuration(length)
  if (ms === undefined || ms < MIN_MS || ms > MAX_MS) return undefined
  return { kind: kind === 'rolling' ? 'rolling' : 'fixed', ms }
}

/** The text that {@link parseWindow} reads. */
export function formatWindow(window: LimitWindow): string {
  return window.kind === 'calendar' ? window.unit : `${window.kind} ${formatDuration(window.ms)}`
}
