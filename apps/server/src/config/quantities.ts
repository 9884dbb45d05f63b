import { readWith, TEXT_FORMS, type TextKind } from './text-kind.ts'

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
}
const DURATION_PART = /(\d{1,15}(?:\.\d{1,9})?)(ns|us|µs|\u03bcs|ms|s|m|h)/y

/** Milliseconds of a duration as Go programs write it: `10s`, `1h30m`, `500ms`, `1.5h`, `0`. Undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (text === '' || text.length > 64) return undefined
  let total = 0
  DURATION_PART.lastIndex = 0
  for (let end = 0; end < text.length; end = DURATION_PART.lastIndex) {
    const part = DURATION_PART.exec(text)
    const [, count = '', unit = ''] = part ?? []
    const size = UNIT_MS[unit]
    if (size === undefined) return undefined
    total += Number(count) * size
  }
  return total <= Number.MAX_SAFE_INTEGER ? total : undefined
}

/** A whole number of milliseconds as {@link parseDuration} reads it, in hours at most: `720h`, `1h30m`, `500ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  let rest = Math.round(milliseconds)
  let shown = ''
  for (const [unit, size] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
    ['ms', 1],
  ] as const) {
    const count = Math.floor(rest / size)
    if (count > 0) shown += `${count}${unit}`
    rest -= count * size
  }
  return shown === '' ? '0s' : shown
}

/**
 * A duration, as milliseconds.
 *
 * @param options.max the longest accepted, written as a duration: timers hold 24 days at most
 */
export function duration(options: { readonly max: string }): TextKind<number> {
  const max = parseDuration(options.max) ?? 0
  return readWith(parseDuration)
    .refine((milliseconds) => milliseconds <= max)
    .register(TEXT_FORMS, {
      placeholder: 'DURATION',
      form: `a duration such as 10s, 500ms or 1h30m, ${options.max} at most`,
      shape: 'single',
    })
}

/** Time that a timer may wait. */
export const wait = duration({ max: '24h' })

/** Time for which something is kept. */
export const keep = duration({ max: '87600h' })

const DAYS: Readonly<Record<string, number>> = { d: 1, y: 365 }
const DAY_MS = 86_400_000
const MAX_LIFETIME_MS = 100 * 365 * DAY_MS

/** Milliseconds of a lifetime: a number of days or years, or a duration. */
function parseLifetime(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,6})([dy])$/.exec(text) ?? []
  return count === undefined ? parseDuration(text) : Number(count) * (DAYS[unit] ?? 0) * DAY_MS
}

/** Time for which something that people make is valid, in milliseconds. */
export const lifetime = readWith(parseLifetime)
  .refine((milliseconds) => milliseconds > 0 && milliseconds <= MAX_LIFETIME_MS)
  .register(TEXT_FORMS, {
    placeholder: 'DURATION',
    form: 'a number of days or years such as 90d or 1y, or a duration such as 720h',
    shape: 'single',
  })

const MIB = 1024 * 1024
const SIZE = /^(\d{1,12}(?:\.\d{1,3})?) ?(?:([kmgt])i?)?(b?)$/i
const POWERS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3, t: 4 }

/** Bytes of a size; undefined for any other text. */
export function parseSize(text: string, bare: 'bytes' | 'MB'): number | undefined {
  const [, count, unit, byte] = SIZE.exec(text) ?? []
  if (count === undefined) return undefined
  const barePower = bare === 'MB' && byte === '' ? 2 : 0
  const power = unit === undefined ? barePower : (POWERS[unit.toLowerCase()] ?? 0)
  const bytes = Math.round(Number(count) * 1024 ** power)
  return bytes <= Number.MAX_SAFE_INTEGER ? bytes : undefined
}

/**
 * A size, as bytes. Units are powers of 1024, with or without `B` and `i`.
 *
 * @param options.bare the unit of a number that has none
 * @param options.max bytes, @default no limit
 */
export function size({ bare, max }: { readonly bare: 'bytes' | 'MB'; readonly max?: number }): TextKind<number> {
  const kind = readWith((text) => parseSize(text, bare))
  return (max === undefined ? kind : kind.refine((bytes) => bytes <= max)).register(TEXT_FORMS, {
    placeholder: 'SIZE',
    form: `a size: a number of ${bare}, or one with a unit such as 512KB, 15MB or 2GB${max === undefined ? '' : `, ${max / MIB} MiB at most`}`,
    shape: 'single',
  })
}
