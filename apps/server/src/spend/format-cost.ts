import { formatMicros } from '@svc/auth/limits'

/** Micro-units as the shortest exact decimal number of units: `1500000` is `1.5`. */
export function formatCost(micros: number): string {
  return formatMicros(micros).replace(/\.?0+$/, '')
}
