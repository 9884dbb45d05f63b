import { SvcError } from '@svc/errors'
import { type Fields, isFields, toCount, toFields, toNumber, toText } from '../fields.ts'

/** One target of a failover group. */
export interface FailoverTarget {
  readonly model: string
  /** Whether it stays loaded while another target serves. */
  readonly warm: boolean
}

/** The `failover` key of a model, with its defaults; times in milliseconds. */
export interface FailoverSettings {
  /** At least two, in order of preference. */
  readonly targets: readonly FailoverTarget[]
  /** Interval and time limit of probes of a target that is down. */
  readonly probe: { readonly intervalMs: number; readonly timeoutMs: number }
  /** Number of failures, and the time window, that mark a target down. */
  readonly trip: { readonly errors: number; readonly windowMs: number }
  /** Number of good probes in a row that bring a target back, and its minimum downtime. */
  readonly recovery: { readonly probes: number; readonly minDwellMs: number }
}

/** Most targets of a group. */
const MAX_TARGETS = 16

/** The longest delay of a timer; a timer treats a longer one as no delay. */
const MAX_TIMER_MS = 2 ** 31 - 1

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
])

/**
 * Reads the `failover` key of a model's file.
 *
 * @param options.own the name of the model with the key: it cannot be a target of its own
 * @param options.isGroup whether another model has such a key: groups do not nest
 * @throws {SvcError} `invalid_request`, code `invalid_failover_settings`, `details.param` the key at fault
 * @example
 * readFailoverSettings({ targets: [{ model: 'a' }, { model: 'b', warm: true }], probe: { interval: '15s' } }, options)
 */
export function readFailoverSettings(
  value: unknown,
  options: { readonly own: string; readonly isGroup: (model: string) => boolean },
): FailoverSettings {
  if (!isFields(value)) throw invalid('failover', 'expected an object')
  const probe = section(value, 'probe')
  const trip = section(value, 'trip')
  const recovery = section(value, 'recovery')
  return {
    targets: readTargets(value.targets, options),
    probe: {
      intervalMs: duration(probe.interval, 'failover.probe.interval', { least: 1, otherwise: 15_000 }),
      timeoutMs: duration(probe.timeout, 'failover.probe.timeout', { least: 1, otherwise: 5000 }),
    },
    trip: {
      errors: count(trip.errors, 'failover.trip.errors', 1),
      windowMs: duration(trip.window, 'failover.trip.window', { least: 1, otherwise: 30_000 }),
    },
    recovery: {
      probes: count(recovery.probes, 'failover.recovery.probes', 3),
      minDwellMs: duration(recovery.min_dwell, 'failover.recovery.min_dwell', { least: 0, otherwise: 60_000 }),
    },
  }
}

function readTargets(
  value: unknown,
  { own, isGroup }: { readonly own: string; readonly isGroup: (model: string) => boolean },
): FailoverTarget[] {
  const param = 'failover.targets'
  if (!Array.isArray(value) || value.length < 2) throw invalid(param, 'at least two are needed')
  if (value.length > MAX_TARGETS) throw invalid(param, `at most ${MAX_TARGETS} are possible`)
  const targets = value.map((item, index) => readTarget(item, `${param}[${index}]`))
  for (const [index, { model }] of targets.entries()) {
    const at = `${param}[${index}].model`
    if (model === own) throw invalid(at, 'a model cannot be a target of its own')
    if (isGroup(model)) throw invalid(at, 'is a failover group itself, and failover groups do not nest')
    if (targets.findIndex((target) => target.model === model) !== index) throw invalid(at, 'is named twice')
  }
  return targets
}

function readTarget(value: unknown, param: string): FailoverTarget {
  const { model, warm = false } = typeof value === 'string' ? { model: value } : toFields(value)
  const name = toText(model)
  if (name === undefined || name === '') throw invalid(`${param}.model`, 'expected the name of a model')
  if (typeof warm !== 'boolean') throw invalid(`${param}.warm`, 'expected true or false')
  return { model: name, warm }
}

function section(value: Fields, name: string): Fields {
  const fields = value[name] ?? {}
  if (!isFields(fields)) throw invalid(`failover.${name}`, 'expected an object')
  return fields
}

/** A number counts seconds; a text has a unit. The result is whole milliseconds within the range of a timer. */
function duration(
  value: unknown,
  param: string,
  { least, otherwise }: { readonly least: number; readonly otherwise: number },
): number {
  if (value === undefined || value === null) return otherwise
  const milliseconds = Math.round(toMilliseconds(value) ?? Number.NaN)
  if (milliseconds >= least && milliseconds <= MAX_TIMER_MS) return milliseconds
  throw invalid(param, `expected a time such as 15s, of ${least} ms to 24 days`)
}

function toMilliseconds(value: unknown): number | undefined {
  const seconds = toNumber(value)
  if (seconds !== undefined) return seconds * 1000
  const parts = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/.exec(toText(value) ?? '')
  const unit = UNITS.get(parts?.[2] ?? '')
  return parts === null || unit === undefined ? undefined : Number(parts[1]) * unit
}

function count(value: unknown, param: string, otherwise: number): number {
  if (value === undefined || value === null) return otherwise
  const number = toCount(value)
  if (number === undefined || number < 1 || number > 1000) throw invalid(param, 'expected a number of 1 to 1000')
  return number
}

function invalid(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, {
    code: 'invalid_failover_settings',
    details: { param },
  })
}
