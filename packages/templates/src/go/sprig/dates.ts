import { fail } from '../errors.ts'
import { type CallContext, type FunctionTable, fixed } from '../function.ts'
import { formatDuration, parseDuration } from '../time/duration.ts'
import { parseTime } from '../time/parse.ts'
import { asTime, GoTime, ZERO_SECONDS } from '../time/time.ts'
import { loadZone, UTC } from '../time/zone.ts'
import { GoInteger, type GoValue } from '../values.ts'
import { parseDecimal } from './cast.ts'

/**
 * Functions on given dates. A template cannot read the clock, so values that sprig would take for "now" are an error.
 * The local zone is UTC.
 */
export const DATE_FUNCTIONS: FunctionTable = {
  date: fixed(['string', 'any'], (context, layout, date) => inZone(context, { layout, date, zone: 'UTC' })),
  htmlDate: fixed(['any'], (_, date) => given(date).in(UTC).format('2006-01-02')),
  htmlDateInZone: fixed(['any', 'string'], (context, date, zone) =>
    inZone(context, { layout: '2006-01-02', date, zone }),
  ),
  dateInZone: fixed(['string', 'any', 'string'], (context, layout, date, zone) =>
    inZone(context, { layout, date, zone }),
  ),
  date_in_zone: fixed(['string', 'any', 'string'], (context, layout, date, zone) =>
    inZone(context, { layout, date, zone }),
  ),
  dateModify: fixed(['string', 'time'], (_, text, date) => date.plus(parseDuration(text) ?? 0n)),
  date_modify: fixed(['string', 'time'], (_, text, date) => date.plus(parseDuration(text) ?? 0n)),
  mustDateModify: fixed(['string', 'time'], (_, text, date) => modify(text, date)),
  must_date_modify: fixed(['string', 'time'], (_, text, date) => modify(text, date)),
  toDate: fixed(['string', 'string'], (_, layout, text) => parseTime(layout, text) ?? new GoTime(ZERO_SECONDS, 0)),
  mustToDate: fixed(['string', 'string'], (_, layout, text) => {
    return parseTime(layout, text) ?? fail('the date does not fit its layout')
  }),
  unixEpoch: fixed(['time'], (_, date) => String(date.seconds)),
  duration: fixed(['any'], (_, seconds) => formatDuration(BigInt.asIntN(64, toSeconds(seconds) * 1_000_000_000n))),
  durationRound: fixed(['any'], (_, value) => roundDuration(toNanoseconds(value))),
}

function given(date: GoValue): GoTime {
  return asTime(date) ?? fail('a date must be a time or whole seconds: templates cannot read the clock')
}

interface ZonedDate {
  readonly layout: string
  readonly date: GoValue
  readonly zone: string
}

/** Looking up a zone takes the runtime long. */
const ZONE_STEPS = 200

function inZone({ budget }: CallContext, { layout, date, zone }: ZonedDate): string {
  budget.spend(layout.length + (zone === 'UTC' ? 0 : ZONE_STEPS))
  return given(date).in(loadZone(zone)).format(layout)
}

function modify(text: string, date: GoTime): GoTime {
  return date.plus(parseDuration(text) ?? fail('invalid duration'))
}

function toSeconds(value: GoValue): bigint {
  if (value instanceof GoInteger && value.type === 'int64') return value.value
  return typeof value === 'string' ? parseDecimal(value) : 0n
}

function toNanoseconds(value: GoValue): bigint {
  if (value instanceof GoInteger && value.type === 'int64') return value.value
  if (value instanceof GoTime) return fail('templates cannot read the clock')
  return typeof value === 'string' ? (parseDuration(value) ?? 0n) : 0n
}

const HOUR = 3_600_000_000_000n
const STEPS: readonly (readonly [bigint, string])[] = [
  [HOUR * 24n * 365n, 'y'],
  [HOUR * 24n * 30n, 'mo'],
  [HOUR * 24n, 'd'],
  [HOUR, 'h'],
  [60_000_000_000n, 'm'],
  [1_000_000_000n, 's'],
]

/** The largest unit that the duration is longer than. */
function roundDuration(nanoseconds: bigint): string {
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  const step = STEPS.find(([unit]) => size > unit)
  return step === undefined ? '0s' : `${size / step[0]}${step[1]}`
}
