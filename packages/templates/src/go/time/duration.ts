/** Nanoseconds of Go's duration units. */
const UNITS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['\xc2\xb5s', 1_000n],
  ['\xce\xbcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
])
const LARGEST = 2n ** 63n
const PART = /([0-9]{0,19})(?:\.([0-9]*))?([^0-9.]+)/y

/** `time.ParseDuration`, in nanoseconds: `1h15m30.5s`; undefined for anything else. Takes a byte string. */
export function parseDuration(text: string): bigint | undefined {
  const isNegative = text.startsWith('-')
  const body = text.replace(/^[+-]/, '')
  if (body === '0') return 0n
  if (body === '' || body.length > 1000) return undefined
  let total = 0n
  for (let at = 0; at < body.length; ) {
    PART.lastIndex = at
    const part = PART.exec(body)
    const nanoseconds = part === null ? undefined : partNanoseconds(part[1] ?? '', part[2], part[3] ?? '')
    if (part === null || nanoseconds === undefined) return undefined
    total += nanoseconds
    at += part[0].length
  }
  if (total > LARGEST || (total === LARGEST && !isNegative)) return undefined
  return isNegative ? -total : total
}

function partNanoseconds(whole: string, fraction: string | undefined, unit: string): bigint | undefined {
  const size = UNITS.get(unit)
  if (size === undefined || (whole === '' && (fraction ?? '') === '')) return undefined
  const digits = (fraction ?? '').slice(0, 18)
  const below = digits === '' ? 0n : (BigInt(digits) * size) / 10n ** BigInt(digits.length)
  return BigInt(whole === '' ? 0 : whole) * size + below
}

/** `Duration.String`: `1h15m30.5s`. */
export function formatDuration(nanoseconds: bigint): string {
  const sign = nanoseconds < 0n ? '-' : ''
  const size = nanoseconds < 0n ? -nanoseconds : nanoseconds
  if (size === 0n) return '0s'
  if (size < 1_000n) return `${sign}${size}ns`
  if (size < 1_000_000n) return `${sign}${decimal(size, 3)}\xc2\xb5s`
  if (size < 1_000_000_000n) return `${sign}${decimal(size, 6)}ms`
  const minutes = size / 60_000_000_000n
  const seconds = `${decimal(size % 60_000_000_000n, 9)}s`
  if (minutes === 0n) return sign + seconds
  const hours = minutes / 60n
  return `${sign}${hours === 0n ? '' : `${hours}h`}${minutes % 60n}m${seconds}`
}

/** A number with this many decimal places, without zeros at the end. */
function decimal(value: bigint, places: number): string {
  const scale = 10n ** BigInt(places)
  const fraction = (value % scale).toString().padStart(places, '0').replace(/0+$/, '')
  return fraction === '' ? `${value / scale}` : `${value / scale}.${fraction}`
}
