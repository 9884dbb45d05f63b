/** More than any request uses. Sums of such figures stay exact, and no database runs out of digits. */
const MAX_FIGURE = 1_000_000_000

/** Tokens or other things of one request as they are counted: a whole number within bounds, for any claim of an upstream. */
export function cleanAmount(amount: number): number {
  return Number.isNaN(amount) ? 0 : Math.min(Math.max(0, Math.ceil(amount)), MAX_FIGURE)
}

/** More money than any request costs, whole millionths. Sums of such figures stay exact. */
const MAX_MICROS = 1_000_000_000_000

/** Money of one request as it is counted: whole millionths within bounds. */
export function cleanMicros(micros: number): number {
  return Number.isNaN(micros) ? 0 : Math.min(Math.max(0, Math.ceil(micros)), MAX_MICROS)
}

/** Seconds of one request as they are counted: whole milliseconds within bounds. */
export function cleanSeconds(seconds: number): number {
  return Number.isNaN(seconds) ? 0 : Math.round(Math.min(Math.max(0, seconds), MAX_FIGURE) * 1000) / 1000
}
