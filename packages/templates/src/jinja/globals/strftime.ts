import { printFixed } from '../numbers/float-text.ts'
import type { Clock } from '../ports.ts'

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
]
const DAY_MS = 86_400_000
/** Flags that change padding and case. */
const FLAGS = '-_0^#'

/** The time of a clock in a format of `strftime`, with the names of the C locale and the flags of glibc. */
export function formatTime(clock: Clock, format: string): string {
  const now = clock.now()
  const offset = clock.offsetMinutes?.(now) ?? -new Date(now).getTimezoneOffset()
  return new TimeFormatter(new Date(now + offset * 60_000), now).format(format)
}

/** A piece of time: text, or a number with the width and filling it has by default. */
type Piece = string | { readonly value: number; readonly width: number; readonly fill: '0' | ' ' }

class TimeFormatter {
  /** Shifted so that its UTC fields are the local ones. */
  readonly #date: Date
  readonly #now: number

  constructor(date: Date, now: number) {
    this.#date = date
    this.#now = now
  }

  format(format: string): string {
    let result = ''
    let start = 0
    for (let index = format.indexOf('%'); index >= 0; index = format.indexOf('%', start)) {
      let end = index + 1
      while (FLAGS.includes(format[end] ?? ' ')) end++
      const piece = this.#toPiece(format[end] ?? '')
      const flags = format.slice(index + 1, end)
      // Text that is not a directive stays as it is.
      const shown = piece === undefined ? format.slice(index, end + 1) : applyFlags(piece, flags)
      result += format.slice(start, index) + shown
      start = end + 1
    }
    return result + format.slice(start)
  }

  #toPiece(directive: string): Piece | undefined {
    const date = this.#date
    switch (directive) {
      case 'Y':
        return { value: date.getUTCFullYear(), width: 1, fill: '0' }
      case 'C':
        return two(Math.floor(date.getUTCFullYear() / 100))
      case 'y':
        return two(date.getUTCFullYear() % 100)
      case 'm':
        return two(date.getUTCMonth() + 1)
      case 'd':
        return two(date.getUTCDate())
      case 'e':
        return { value: date.getUTCDate(), width: 2, fill: ' ' }
      case 'j':
        return { value: this.#dayOfYear() + 1, width: 3, fill: '0' }
      case 'H':
        return two(date.getUTCHours())
      case 'k':
        return { value: date.getUTCHours(), width: 2, fill: ' ' }
      case 'I':
        return two(date.getUTCHours() % 12 || 12)
      case 'l':
        return { value: date.getUTCHours() % 12 || 12, width: 2, fill: ' ' }
      case 'M':
        return two(date.getUTCMinutes())
      case 'S':
        return two(date.getUTCSeconds())
      case 'f':
        return { value: date.getUTCMilliseconds() * 1000, width: 6, fill: '0' }
      case 's':
        return { value: Math.floor(this.#now / 1000), width: 1, fill: '0' }
      default:
        return this.#toWeekPiece(directive) ?? this.#toName(directive) ?? this.#toCombination(directive)
    }
  }

  #toWeekPiece(directive: string): Piece | undefined {
    const day = this.#date.getUTCDay()
    switch (directive) {
      case 'w':
        return { value: day, width: 1, fill: '0' }
      case 'u':
        return { value: day || 7, width: 1, fill: '0' }
      case 'U':
        return two(Math.floor((this.#dayOfYear() + 7 - day) / 7))
      case 'W':
        return two(Math.floor((this.#dayOfYear() + 7 - ((day + 6) % 7)) / 7))
      case 'V':
        return two(this.#isoWeek().week)
      case 'G':
        return { value: this.#isoWeek().year, width: 1, fill: '0' }
      case 'g':
        return two(this.#isoWeek().year % 100)
      default:
        return undefined
    }
  }

  #toName(directive: string): string | undefined {
    const date = this.#date
    switch (directive) {
      case 'A':
        return DAYS[date.getUTCDay()]
      case 'a':
        return DAYS[date.getUTCDay()]?.slice(0, 3)
      case 'B':
        return MONTHS[date.getUTCMonth()]
      case 'b':
      case 'h':
        return MONTHS[date.getUTCMonth()]?.slice(0, 3)
      case 'p':
        return date.getUTCHours() < 12 ? 'AM' : 'PM'
      case 'P':
        return date.getUTCHours() < 12 ? 'am' : 'pm'
      // The time is one without a zone.
      case 'z':
      case 'Z':
        return ''
      case 'n':
        return '\n'
      case 't':
        return '\t'
      case '%':
        return '%'
      default:
        return undefined
    }
  }

  #toCombination(directive: string): string | undefined {
    switch (directive) {
      case 'c':
        return this.format('%a %b %e %H:%M:%S %Y')
      case 'x':
      case 'D':
        return this.format('%m/%d/%y')
      case 'X':
      case 'T':
        return this.format('%H:%M:%S')
      case 'F':
        return this.format('%Y-%m-%d')
      case 'R':
        return this.format('%H:%M')
      case 'r':
        return this.format('%I:%M:%S %p')
      default:
        return undefined
    }
  }

  /** From 0. */
  #dayOfYear(): number {
    return Math.floor((this.#date.getTime() - Date.UTC(this.#date.getUTCFullYear(), 0, 1)) / DAY_MS)
  }

  /** The week that belongs to the year of its Thursday. */
  #isoWeek(): { readonly year: number; readonly week: number } {
    const weekday = (this.#date.getUTCDay() + 6) % 7
    const thursday = new Date(this.#date.getTime() + (3 - weekday) * DAY_MS)
    const year = thursday.getUTCFullYear()
    return { year, week: Math.floor((thursday.getTime() - Date.UTC(year, 0, 1)) / (7 * DAY_MS)) + 1 }
  }
}

function two(value: number): Piece {
  return { value, width: 2, fill: '0' }
}

function applyFlags(piece: Piece, flags: string): string {
  const upper = flags.includes('^') || flags.includes('#')
  if (typeof piece === 'string') return upper ? piece.toUpperCase() : piece
  const digits = printFixed(piece.value, 0)
  if (flags.includes('-')) return digits
  const fill = flags.includes('_') ? ' ' : flags.includes('0') ? '0' : piece.fill
  return digits.padStart(piece.width, fill)
}
