import { type CivilTime, MONTHS, WEEKDAYS } from './calendar.ts'
import { type LayoutPiece, parseLayout } from './layout.ts'
import type { Zone } from './zone.ts'

/** The parts of a time that formatting reads. */
export interface Moment {
  readonly seconds: number
  readonly nanos: number
  readonly zone: Zone
  civil(): CivilTime
}

/** `time.Format`. */
export function formatTime(moment: Moment, layout: string): string {
  const { pieces, rest } = parseLayout(layout)
  const civil = moment.civil()
  return pieces.map((piece) => piece.prefix + formatPiece(piece, civil, moment)).join('') + rest
}

function formatPiece({ unit, source }: LayoutPiece, civil: CivilTime, moment: Moment): string {
  const { year, month, day, hour, minute, second, weekday, yearDay } = civil
  switch (unit) {
    case 'year':
      return padded(Math.abs(year) % 100, 2)
    case 'longYear':
      return padded(year, 4)
    case 'month':
      return (MONTHS[month - 1] ?? '').slice(0, 3)
    case 'longMonth':
      return MONTHS[month - 1] ?? ''
    case 'numMonth':
      return String(month)
    case 'zeroMonth':
      return padded(month, 2)
    case 'weekday':
      return (WEEKDAYS[weekday] ?? '').slice(0, 3)
    case 'longWeekday':
      return WEEKDAYS[weekday] ?? ''
    case 'day':
      return String(day)
    case 'underDay':
      return String(day).padStart(2)
    case 'zeroDay':
      return padded(day, 2)
    case 'underYearDay':
      return String(yearDay).padStart(3)
    case 'zeroYearDay':
      return padded(yearDay, 3)
    case 'hour':
      return padded(hour, 2)
    case 'hour12':
      return String(hour % 12 || 12)
    case 'zeroHour12':
      return padded(hour % 12 || 12, 2)
    case 'minute':
      return String(minute)
    case 'zeroMinute':
      return padded(minute, 2)
    case 'second':
      return String(second)
    case 'zeroSecond':
      return padded(second, 2)
    case 'PM':
      return hour >= 12 ? 'PM' : 'AM'
    case 'pm':
      return hour >= 12 ? 'pm' : 'am'
    case 'zoneName':
      return zoneName(moment)
    case 'offset':
      return formatOffset(moment.zone.at(moment.seconds).offset, source)
    case 'fraction':
    case 'fractionShort':
      return formatFraction(moment.nanos, source)
  }
}

function padded(value: number, digits: number): string {
  return (value < 0 ? '-' : '') + String(Math.abs(value)).padStart(digits, '0')
}

function zoneName({ zone, seconds }: Moment): string {
  const { offset, abbreviation } = zone.at(seconds)
  return abbreviation === '' ? formatOffset(offset, '-0700') : abbreviation
}

function formatOffset(offset: number, source: string): string {
  if (offset === 0 && source.startsWith('Z')) return 'Z'
  const minutes = Math.trunc(Math.abs(offset) / 60)
  const colon = source.includes(':') ? ':' : ''
  let text = `${offset <= -60 ? '-' : '+'}${padded(Math.floor(minutes / 60), 2)}`
  if (source.length > 3) text += colon + padded(minutes % 60, 2)
  if (source.length > 6) text += colon + padded(Math.abs(offset) % 60, 2)
  return text
}

/** The separator and the layout's number of digits; nines drop zeros at the end. */
function formatFraction(nanos: number, source: string): string {
  const count = source.length - 1
  const digits = padded(nanos, 9).padEnd(count, '0').slice(0, Math.min(count, 9))
  if (source.charAt(1) === '0') return source.charAt(0) + digits
  const kept = digits.replace(/0+$/, '')
  return kept === '' ? '' : source.charAt(0) + kept
}
