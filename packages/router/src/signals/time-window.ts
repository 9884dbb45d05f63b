import type { TimeWindow } from './settings.ts'

const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const
const MINUTES_A_DAY = 24 * 60
const HOUR = /^(?<hours>[01]?\d|2[0-4]):(?<minutes>[0-5]\d)$/

/** A day of the week, 0 for Sunday, and the minute of that day. */
export interface LocalTime {
  readonly day: number
  readonly minute: number
}

/** Tells whether a time is in a window, and shows it. */
export interface CompiledWindow {
  /** @param now milliseconds since the epoch */
  test(now: number): { readonly isInside: boolean; readonly shown: string }
}

/** The mistake in a window, with the key that has it. */
export interface WindowFault {
  readonly key: keyof TimeWindow
  readonly message: string
}

/** Compiles a window, or names its mistake. */
export function compileWindow(window: TimeWindow): CompiledWindow | WindowFault {
  const days = readDays(window.days)
  if (days === undefined) return { key: 'days', message: 'must be days such as mon, or a span such as mon-fri' }
  const from = readMinute(window.from ?? '00:00')
  if (from === undefined || from === MINUTES_A_DAY) return { key: 'from', message: 'must be a time such as 08:00' }
  const to = readMinute(window.to ?? '24:00')
  if (to === undefined) return { key: 'to', message: 'must be a time such as 18:00' }
  const read = createLocalReader(window.zone ?? 'UTC')
  if (read === undefined) return { key: 'zone', message: `"${window.zone ?? ''}" is not a time zone` }
  return {
    test(now) {
      const local = read(now)
      return { isInside: isInside(local, { days, from, to }), shown: formatLocal(local) }
    },
  }
}

/** A window that ends at or before its start goes on after midnight, and belongs to the day on which it began. */
function isInside(
  { day, minute }: LocalTime,
  { days, from, to }: { readonly days: ReadonlySet<number>; readonly from: number; readonly to: number },
): boolean {
  if (from < to) return days.has(day) && minute >= from && minute < to
  if (minute >= from) return days.has(day)
  return minute < to && days.has((day + 6) % 7)
}

function readMinute(text: string): number | undefined {
  const { hours, minutes } = HOUR.exec(text)?.groups ?? {}
  if (hours === undefined || minutes === undefined) return undefined
  const minute = Number(hours) * 60 + Number(minutes)
  return minute <= MINUTES_A_DAY ? minute : undefined
}

function readDays(days: TimeWindow['days']): ReadonlySet<number> | undefined {
  if (days === undefined) return new Set(DAYS.keys())
  const found = new Set<number>()
  for (const word of typeof days === 'string' ? days.split(/[\s,]+/) : days) {
    const span = word.toLowerCase().split('-').map(findDay)
    const [first = -1, last = first] = span
    if (span.length > 2 || first < 0 || last < 0) return undefined
    for (let day = first; ; day = (day + 1) % 7) {
      found.add(day)
      if (day === last) break
    }
  }
  return found
}

function findDay(word: string): number {
  return (DAYS as readonly string[]).indexOf(word.trim())
}

function createLocalReader(zone: string): ((now: number) => LocalTime) | undefined {
  try {
    const format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    })
    return (now) => {
      const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]))
      const minute = Number(parts.get('hour')) * 60 + Number(parts.get('minute'))
      return { day: findDay((parts.get('weekday') ?? '').toLowerCase()), minute }
    }
  } catch {
    return undefined
  }
}

function formatLocal({ day, minute }: LocalTime): string {
  const [hours, minutes] = [Math.floor(minute / 60), minute % 60]
  return `${DAYS[day] ?? ''} ${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`
}
