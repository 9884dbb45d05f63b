import i18next from 'i18next'

const DAY_MS = 86_400_000

/** The time of day of today's times, else the weekday of the last week's, else the date. */
export function formatDay(time: number, now = Date.now()): string {
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(i18next.language, options).format(time)
  const days = countDays(time, now)
  if (days <= 1) return format({ hour: '2-digit', minute: '2-digit' })
  if (days <= 7) return format({ weekday: 'short' })
  return format({ day: 'numeric', month: 'short' })
}

/** Number of midnights between a time and now. */
export function countDays(time: number, now: number): number {
  return Math.round((startDay(now) - startDay(time)) / DAY_MS)
}

function startDay(time: number): number {
  return new Date(time).setHours(0, 0, 0, 0)
}
