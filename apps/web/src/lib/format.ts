import i18next from 'i18next'

const BYTE_UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

function formatter(options: Intl.NumberFormatOptions): Intl.NumberFormat {
  return new Intl.NumberFormat(i18next.language, options)
}

export function formatNumber(value: number, digits = 0): string {
  return formatter({ maximumFractionDigits: digits }).format(value)
}

/** @param share 0 to 1 */
export function formatPercent(share: number, digits = 0): string {
  return formatter({ style: 'percent', maximumFractionDigits: digits }).format(share)
}

/** Bytes in binary units, such as `1.5 GiB`. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (Math.abs(value) >= 1024 && unit < BYTE_UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${formatter({ minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)} ${BYTE_UNITS[unit]}`
}

/** A length of time with at most two units, such as `412 ms`, `4.4 s`, `3 min 5 s` or `2 h 10 min`. */
export function formatDuration(milliseconds: number): string {
  const unit = (value: number, name: string, digits = 0) =>
    formatter({ style: 'unit', unit: name, unitDisplay: 'short', maximumFractionDigits: digits }).format(value)
  if (milliseconds < 1000) return unit(Math.round(milliseconds), 'millisecond')
  const seconds = milliseconds / 1000
  if (seconds < 60) return unit(seconds, 'second', seconds < 10 ? 2 : 1)
  const pair = (total: number, size: number, large: string, small: string) => {
    const rest = Math.floor(total % size)
    const first = unit(Math.floor(total / size), large)
    return rest === 0 ? first : `${first} ${unit(rest, small)}`
  }
  if (seconds < 3600) return pair(seconds, 60, 'minute', 'second')
  const minutes = seconds / 60
  return minutes < 1440 ? pair(minutes, 60, 'hour', 'minute') : pair(minutes / 60, 24, 'day', 'hour')
}

const toDate = (time: number | string | Date) => new Date(time)

/** The time of day, and the day too unless it is today. */
export function formatTime(time: number | string | Date): string {
  const date = toDate(time)
  return new Intl.DateTimeFormat(i18next.language, {
    ...(isOtherDay(date) ? { dateStyle: 'medium' } : {}),
    timeStyle: 'medium',
  }).format(date)
}

/** Whether a time is on another day than today, so that the hour is not enough. */
export function isOtherDay(time: number | string | Date): boolean {
  return toDate(time).toDateString() !== new Date().toDateString()
}

/** A time of day to the second on a clock of 24 hours, for columns of figures; with the day when it is asked for. */
export function formatClock(time: number | string | Date, { day = false, seconds = true } = {}): string {
  return new Intl.DateTimeFormat(i18next.language, {
    ...(day ? { month: 'short', day: 'numeric' } : {}),
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds ? { second: '2-digit' } : {}),
    hourCycle: 'h23',
  }).format(toDate(time))
}

/** A time with its day, short: `14 Dec 2026, 09:30`. */
export function formatMoment(time: number | string | Date): string {
  return new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeStyle: 'short' }).format(toDate(time))
}

/** The exact local time and the same in UTC, for a tooltip. */
export function formatExactTime(time: number | string | Date): string {
  const date = toDate(time)
  const local = new Intl.DateTimeFormat(i18next.language, { dateStyle: 'full', timeStyle: 'long' }).format(date)
  return `${local} (${date.toISOString()})`
}

const STEPS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ['second', 60],
  ['minute', 60],
  ['hour', 24],
  ['day', 30],
  ['month', 12],
  ['year', Number.POSITIVE_INFINITY],
]

/** A time as seen from now, such as `5 minutes ago`. */
export function formatRelativeTime(time: number | string | Date, now = Date.now()): string {
  let value = (toDate(time).getTime() - now) / 1000
  for (const [unit, size] of STEPS) {
    if (Math.abs(value) < size)
      return new Intl.RelativeTimeFormat(i18next.language, { numeric: 'auto' }).format(Math.round(value), unit)
    value /= size
  }
  return ''
}

/** Compares names the way the reader's language sorts them, numbers by value. */
export function compareNames(left: string, right: string): number {
  return left.localeCompare(right, i18next.language, { numeric: true, sensitivity: 'base' })
}
