const MICROS = 1_000_000

/** An amount of whole millionths as a decimal number, with two digits behind the point at least: `12.50`. */
export function formatMicros(micros: number): string {
  const rest = String(micros % MICROS)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${Math.floor(micros / MICROS)}.${rest}`
}
