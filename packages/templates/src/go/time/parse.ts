import { daysFromCivil, daysIn, MONTHS, WEEKDAYS } from './calendar.ts'
import { type LayoutPiece, parseLayout } from './layout.ts'
import { GoTime } from './time.ts'
import { fixedZone, UTC, type Zone } from './zone.ts'

/** `time.Parse`; undefined when the text does not fit the layout. Without a zone the time is UTC. */
export function parseTime(layout: string, text: string): GoTime | undefined {
  const { pieces, rest } = parseLayout(layout)
  const reader = new Reader(text)
  const isFitting =
    pieces.every((piece, at) => {
      return reader.literal(piece.prefix) && reader.piece(piece, pieces[at + 1])
    }) &&
    reader.literal(rest) &&
    reader.isAtEnd
  return isFitting ? reader.finish() : undefined
}

/** Reads a text piece by piece. Every method returns whether the expected piece was present. */
class Reader {
  readonly #text: string
  #at = 0
  #year = 0
  #month: number | undefined
  #day: number | undefined
  #yearDay: number | undefined
  #hour = 0
  #minute = 0
  #second = 0
  #nanos = 0
  #half: 'AM' | 'PM' | undefined
  #zone: Zone | undefined
  #offset: number | undefined
  #zoneName = ''

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  /** A run of blanks fits any run of blanks, also at the end. */
  literal(prefix: string): boolean {
    for (let at = 0; at < prefix.length; ) {
      if (prefix.charAt(at) === ' ') {
        if (!this.isAtEnd && this.#text.charAt(this.#at) !== ' ') return false
        while (prefix.charAt(at) === ' ') at++
        while (this.#text.charAt(this.#at) === ' ') this.#at++
      } else if (this.isAtEnd || this.#text.charAt(this.#at++) !== prefix.charAt(at++)) {
        return false
      }
    }
    return true
  }

  piece({ unit, source }: LayoutPiece, next: LayoutPiece | undefined): boolean {
    switch (unit) {
      case 'year':
        return this.#match(/[0-9]{2}/y, (digits) => {
          this.#year = Number(digits) + (Number(digits) >= 69 ? 1900 : 2000)
        })
      case 'longYear':
        return this.#match(/[0-9]{4}/y, (digits) => {
          this.#year = Number(digits)
        })
      case 'month':
      case 'longMonth':
        return this.#name(MONTHS, unit === 'month', (index) => {
          this.#month = index + 1
        })
      case 'numMonth':
      case 'zeroMonth':
        return this.#number(unit === 'zeroMonth', 1, 12, (value) => {
          this.#month = value
        })
      case 'weekday':
      case 'longWeekday':
        return this.#name(WEEKDAYS, unit === 'weekday', () => undefined)
      case 'day':
      case 'underDay':
      case 'zeroDay':
        if (unit === 'underDay') this.#blanks(1)
        return this.#number(unit === 'zeroDay', 0, 99, (value) => {
          this.#day = value
        })
      case 'underYearDay':
      case 'zeroYearDay':
        if (unit === 'underYearDay') this.#blanks(2)
        return this.#match(unit === 'zeroYearDay' ? /[0-9]{3}/y : /[0-9]{1,3}/y, (digits) => {
          this.#yearDay = Number(digits)
        })
      case 'fraction':
        return this.#match(new Map(FRACTIONS).get(source.length - 1) ?? /(?!)/y, (digits) => this.#fraction(digits))
      case 'fractionShort':
        return this.#match(/[.,][0-9]+/y, (digits) => this.#fraction(digits)) || true
      default:
        return this.#clock(unit, source, next)
    }
  }

  #clock(unit: LayoutPiece['unit'], source: string, next: LayoutPiece | undefined): boolean {
    switch (unit) {
      case 'hour':
      case 'hour12':
      case 'zeroHour12':
        return this.#number(unit === 'zeroHour12', 0, unit === 'hour' ? 23 : 12, (value) => {
          this.#hour = value
        })
      case 'minute':
      case 'zeroMinute':
        return this.#number(unit === 'zeroMinute', 0, 59, (value) => {
          this.#minute = value
        })
      case 'second':
      case 'zeroSecond':
        return (
          this.#number(unit === 'zeroSecond', 0, 59, (value) => {
            this.#second = value
          }) && this.#unaskedFraction(next)
        )
      case 'PM':
        return this.#match(/AM|PM/y, (half) => this.#setHalf(half))
      case 'pm':
        return this.#match(/am|pm/y, (half) => this.#setHalf(half.toUpperCase()))
      case 'zoneName':
        return this.#readZoneName()
      default:
        return this.#readOffset(source)
    }
  }

  /** Reads a fraction behind the seconds, even if the layout has no fraction. */
  #unaskedFraction(next: LayoutPiece | undefined): boolean {
    if (next?.unit === 'fraction' || next?.unit === 'fractionShort') return true
    return this.#match(/[.,][0-9]+/y, (digits) => this.#fraction(digits)) || true
  }

  #fraction(digits: string): void {
    this.#nanos = Number(digits.slice(1, 10).padEnd(9, '0'))
  }

  #setHalf(half: string): void {
    this.#half = half === 'PM' ? 'PM' : 'AM'
  }

  #readOffset(source: string): boolean {
    if (source.startsWith('Z') && this.#text.charAt(this.#at) === 'Z') {
      this.#at++
      this.#zone = UTC
      return true
    }
    const pattern = OFFSETS.get(source.slice(1))
    if (pattern === undefined) return false
    const start = this.#at
    return this.#match(pattern, (text) => {
      const [hours = 0, minutes = 0, seconds = 0] = (text.match(/[0-9]{2}/g) ?? []).map(Number)
      if (hours > 24 || minutes > 60 || seconds > 60) this.#at = Number.POSITIVE_INFINITY
      const offset = (hours * 60 + minutes) * 60 + seconds
      this.#offset = this.#text.charAt(start) === '-' ? -offset : offset
    })
  }

  #readZoneName(): boolean {
    if (this.#text.startsWith('UTC', this.#at)) {
      this.#at += 3
      this.#zone = UTC
      return true
    }
    return (
      this.#match(/ChST|MeST|GMT(?:[+-](?:1?[0-9]|2[0-3])(?![0-9]))?|[+-](?:[01]?[0-9]|2[0-3])(?![0-9])/y, (name) => {
        this.#zoneName = name
      }) ||
      this.#match(/(?:[A-Z]{4}T|[A-Z]{3}T|WITA|[A-Z]{3})(?![A-Z])/y, (name) => {
        this.#zoneName = name
      })
    )
  }

  #blanks(most: number): void {
    for (let count = 0; count < most && this.#text.charAt(this.#at) === ' '; count++) this.#at++
  }

  #number(isFixed: boolean, least: number, most: number, set: (value: number) => void): boolean {
    let isInRange = false
    const isRead = this.#match(isFixed ? /[0-9]{2}/y : /[0-9]{1,2}/y, (digits) => {
      isInRange = Number(digits) >= least && Number(digits) <= most
      set(Number(digits))
    })
    return isRead && isInRange
  }

  #name(names: readonly string[], isShort: boolean, set: (index: number) => void): boolean {
    const rest = this.#text.slice(this.#at, this.#at + 9).toLowerCase()
    const index = names.findIndex((name) => rest.startsWith((isShort ? name.slice(0, 3) : name).toLowerCase()))
    if (index < 0) return false
    this.#at += isShort ? 3 : (names[index] ?? '').length
    set(index)
    return true
  }

  #match(pattern: RegExp, set: (text: string) => void): boolean {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)
    if (found === null) return false
    this.#at += found[0].length
    set(found[0])
    return true
  }

  finish(): GoTime | undefined {
    if (this.#at > this.#text.length) return undefined
    const date = this.#date()
    if (date === undefined) return undefined
    let hour = this.#hour
    if (this.#half === 'PM' && hour < 12) hour += 12
    else if (this.#half === 'AM' && hour === 12) hour = 0
    const seconds =
      daysFromCivil(this.#year, date.month, date.day) * 86_400 + hour * 3600 + this.#minute * 60 + this.#second
    if (this.#zone !== undefined) return new GoTime(seconds, this.#nanos, this.#zone)
    if (this.#offset !== undefined) return this.#atOffset(seconds, this.#offset)
    return this.#zoneName === '' ? new GoTime(seconds, this.#nanos) : this.#inNamedZone(seconds)
  }

  #atOffset(seconds: number, offset: number): GoTime {
    const isLocal = offset === 0 && (this.#zoneName === '' || this.#zoneName === 'UTC')
    return new GoTime(seconds - offset, this.#nanos, isLocal ? UTC : fixedZone(offset, this.#zoneName))
  }

  /** A name does not give an offset from UTC by itself; Go only shows `GMT+3` and the like with their offset. */
  #inNamedZone(seconds: number): GoTime {
    const hours = this.#zoneName.startsWith('GMT') ? Number(this.#zoneName.slice(3)) : 0
    return new GoTime(seconds, this.#nanos, fixedZone(hours * 3600, this.#zoneName))
  }

  #date(): { month: number; day: number } | undefined {
    if (this.#yearDay !== undefined) return this.#dateOfYearDay(this.#yearDay)
    const month = this.#month ?? 1
    const day = this.#day ?? 1
    return day < 1 || day > daysIn(this.#year, month) ? undefined : { month, day }
  }

  #dateOfYearDay(yearDay: number): { month: number; day: number } | undefined {
    let month = 1
    let day = yearDay
    while (month <= 12 && day > daysIn(this.#year, month)) day -= daysIn(this.#year, month++)
    if (yearDay < 1 || month > 12) return undefined
    const agrees = (this.#month ?? month) === month && (this.#day ?? day) === day
    return agrees ? { month, day } : undefined
  }
}

/** A point and an exact number of digits. */
const FRACTIONS: readonly (readonly [number, RegExp])[] = [
  [1, /[.,][0-9]/y],
  [2, /[.,][0-9]{2}/y],
  [3, /[.,][0-9]{3}/y],
  [4, /[.,][0-9]{4}/y],
  [5, /[.,][0-9]{5}/y],
  [6, /[.,][0-9]{6}/y],
  [7, /[.,][0-9]{7}/y],
  [8, /[.,][0-9]{8}/y],
  [9, /[.,][0-9]{9}/y],
]

/** Offsets by their spelling in the layout without its first character. */
const OFFSETS: ReadonlyMap<string, RegExp> = new Map([
  ['07', /[+-][0-9]{2}/y],
  ['0700', /[+-][0-9]{4}/y],
  ['07:00', /[+-][0-9]{2}:[0-9]{2}/y],
  ['070000', /[+-][0-9]{6}/y],
  ['07:00:00', /[+-][0-9]{2}:[0-9]{2}:[0-9]{2}/y],
])
