import { fail } from '../errors.ts'
import { GoInteger, GoObject, type GoValue, goInt } from '../values.ts'
import { type CivilTime, civilFromSeconds, MONTHS, WEEKDAYS } from './calendar.ts'
import { formatTime } from './format.ts'
import { UTC, type Zone } from './zone.ts'

/** A moment with a zone to show it in: Go's `time.Time`. */
export class GoTime extends GoObject {
  readonly typeName = 'time.Time'
  readonly kindName = 'struct'
  /** Seconds since 1970-01-01 UTC. */
  readonly seconds: number
  /** 0 to 999,999,999. */
  readonly nanos: number
  readonly zone: Zone

  constructor(seconds: number, nanos: number, zone: Zone = UTC) {
    super()
    this.seconds = seconds
    this.nanos = nanos
    this.zone = zone
  }

  /** Date and time of day in the zone. */
  civil(): CivilTime {
    return civilFromSeconds(this.seconds + this.zone.at(this.seconds).offset)
  }

  /** The same moment shown in another zone. */
  in(zone: Zone): GoTime {
    return new GoTime(this.seconds, this.nanos, zone)
  }

  /** The time plus this many nanoseconds. */
  plus(nanoseconds: bigint): GoTime {
    const total = BigInt(this.nanos) + nanoseconds
    const nanos = ((total % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n
    return new GoTime(this.seconds + Number((total - nanos) / 1_000_000_000n), Number(nanos), this.zone)
  }

  format(layout: string): string {
    return formatTime(this, layout)
  }

  text(): string {
    return this.format('2006-01-02 15:04:05.999999999 -0700 MST')
  }

  json(): string {
    return this.format('2006-01-02T15:04:05.999999999Z07:00')
  }

  equals(other: GoObject): boolean {
    const isSameMoment = other instanceof GoTime && other.seconds === this.seconds && other.nanos === this.nanos
    return isSameMoment && other.zone.name === this.zone.name
  }

  call(method: string, args: readonly GoValue[]): GoValue {
    if (args.length > 1) return fail(`wrong number of args for ${method}`)
    return args.length === 1 ? this.#callWith(method, args[0]) : this.#read(method)
  }

  #callWith(method: string, argument: GoValue): GoValue {
    if (method === 'Format' && typeof argument === 'string') return this.format(argument)
    if (argument instanceof GoTime) {
      const order = this.seconds - argument.seconds || this.nanos - argument.nanos
      if (method === 'Before') return order < 0
      if (method === 'After') return order > 0
      if (method === 'Equal') return order === 0
    }
    return fail(`wrong arguments for ${method} of ${this.typeName}`)
  }

  #read(method: string): GoValue {
    const { year, month, day, hour, minute, second, weekday, yearDay } = this.civil()
    const numbers = new Map([
      ['Year', year],
      ['Day', day],
      ['Hour', hour],
      ['Minute', minute],
      ['Second', second],
      ['Nanosecond', this.nanos],
      ['YearDay', yearDay],
    ])
    const number = numbers.get(method)
    if (number !== undefined) return goInt(number)
    switch (method) {
      case 'Month':
        return MONTHS[month - 1]
      case 'Weekday':
        return WEEKDAYS[weekday]
      case 'Unix':
        return new GoInteger('int64', BigInt(this.seconds))
      case 'UnixMilli':
        return new GoInteger('int64', BigInt(this.seconds) * 1000n + BigInt(Math.floor(this.nanos / 1e6)))
      case 'UTC':
      case 'Local':
        return this.in(UTC)
      case 'IsZero':
        return this.seconds === ZERO_SECONDS && this.nanos === 0
      case 'String':
        return this.text()
      default:
        return fail(`can't evaluate field ${method} in type ${this.typeName}`)
    }
  }
}

/** 0001-01-01 00:00 UTC, Go's zero time. */
export const ZERO_SECONDS = -62_135_596_800

/** A time, or whole seconds since 1970, as `date` and similar functions accept them; undefined for anything else. */
export function asTime(value: GoValue): GoTime | undefined {
  if (value instanceof GoTime) return value
  const isSeconds = value instanceof GoInteger && ['int', 'int64', 'int32'].includes(value.type)
  return isSeconds ? new GoTime(Number(value.value), 0) : undefined
}
