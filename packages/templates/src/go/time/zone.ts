import { toBytes, toText } from '../bytes.ts'

/** A time zone: its name, and its offset from UTC at a moment. */
export interface Zone {
  /** The zone's name, such as `Europe/Paris`; a byte string. */
  readonly name: string
  /** Seconds east of UTC, and the short name in force, at a moment in seconds since 1970. */
  at(seconds: number): { readonly offset: number; readonly abbreviation: string }
}

/** UTC, which is also the local zone of every template. */
export const UTC: Zone = { name: 'UTC', at: () => ({ offset: 0, abbreviation: 'UTC' }) }

/** A zone that is always the same seconds east of UTC. */
export function fixedZone(offset: number, abbreviation: string): Zone {
  return { name: abbreviation, at: () => ({ offset, abbreviation }) }
}

/** A zone by its name in the time zone database; UTC for an unknown name, as in sprig. */
export function loadZone(name: string): Zone {
  if (name === '' || name === 'UTC' || name === 'Local' || !/^[A-Za-z][A-Za-z0-9_+/-]{0,63}$/.test(name)) return UTC
  const format = formatFor(toText(name))
  return format === undefined ? UTC : { name, at: (seconds) => readZone(format, seconds) }
}

function formatFor(timeZone: string): Intl.DateTimeFormat | undefined {
  try {
    const parts = { hour12: false, year: 'numeric', month: 'numeric', day: 'numeric', era: 'short' } as const
    const time = { hour: 'numeric', minute: 'numeric', second: 'numeric', timeZoneName: 'short' } as const
    return new Intl.DateTimeFormat('en-US', { timeZone, ...parts, ...time })
  } catch {
    return undefined
  }
}

function readZone(format: Intl.DateTimeFormat, seconds: number): { offset: number; abbreviation: string } {
  const moment = Math.min(Math.max(seconds, -8.64e12), 8.64e12)
  const parts = new Map(format.formatToParts(moment * 1000).map(({ type, value }) => [type, value]))
  const number = (type: Intl.DateTimeFormatPartTypes): number => Number(parts.get(type) ?? 0)
  const year = parts.get('era') === 'BC' ? 1 - number('year') : number('year')
  const date = new Date(0)
  date.setUTCFullYear(year, number('month') - 1, number('day'))
  date.setUTCHours(number('hour') % 24, number('minute'), number('second'))
  return { offset: date.getTime() / 1000 - moment, abbreviation: toBytes(parts.get('timeZoneName') ?? '') }
}
