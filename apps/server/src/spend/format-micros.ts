/** Micro-units as an exact decimal number of units: `1500000` is `1.5`. */
export function formatMicros(micros: number): string {
  const digits = String(micros).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  const whole = digits.slice(0, -6)
  return fraction === '' ? whole : `${whole}.${fraction}`
}
