const MICROS = 1_000_000

/** An amount of whole millionths as a decimal number, with two digits behind the point at least: `12.50`. */
export function formatMicros(micros: number): string {
  const rest = String(micros % MICROS)
    .padStart(6, '0')
    .replace(/0{1,4}$/, '')
  return `${Math.floor(micros / MICROS)}.${rest}`
}

const AMOUNT = /^(\d{1,9})(?:\.(\d{1,6}))?$/

/** The whole millionths of an amount such as `12.50`; undefined for a text of another form. */
export function parseMicros(amount: string): number | undefined {
  const [, whole, rest = ''] = AMOUNT.exec(amount) ?? []
  return whole === undefined ? undefined : Number(whole) * MICROS + Number(rest.padEnd(6, '0'))
}
