/** A date and time of day in some zone. */
export interface CivilTime {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  /** 0 is Sunday. */
  readonly weekday: number
  /** 1 is the first of January. */
  readonly yearDay: number
}

/** Names of the months, from January. */
export const MONTHS: readonly string[] =
  'January February March April May June July August September October November December'.split(' ')

/** Names of the days, from Sunday. */
export const WEEKDAYS: readonly string[] = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const DAY = 86_400

/** Days from 1970-01-01 to a date of the Gregorian calendar, also before it began. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const dayOfYear = Math.floor((153 * ((month + 9) % 12) + 2) / 5) + day - 1
  return era * 146_097 + yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear - 719_468
}

/** The date and time of day of seconds since 1970-01-01 00:00. */
export function civilFromSeconds(seconds: number): CivilTime {
  const days = Math.floor(seconds / DAY)
  const rest = seconds - days * DAY
  const date = civilFromDays(days)
  return {
    ...date,
    hour: Math.floor(rest / 3600),
    minute: Math.floor((rest % 3600) / 60),
    second: rest % 60,
    weekday: (((days + 4) % 7) + 7) % 7,
    yearDay: days - daysFromCivil(date.year, 1, 1) + 1,
  }
}

function civilFromDays(days: number): Pick<CivilTime, 'year' | 'month' | 'day'> {
  const shifted = days + 719_468
  const era = Math.floor(shifted / 146_097)
  const dayOfEra = shifted - era * 146_097
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096)
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365)
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const month = ((monthFromMarch + 2) % 12) + 1
  return {
    year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1,
  }
}

/** Number of days in a month. */
export function daysIn(year: number, month: number): number {
  const [next, following] = month === 12 ? [1, year + 1] : [month + 1, year]
  return daysFromCivil(following, next, 1) - daysFromCivil(year, month, 1)
}
