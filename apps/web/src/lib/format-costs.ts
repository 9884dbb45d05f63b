import i18next from 'i18next'

/** Micro-units as an amount of money. Small amounts keep the digits that tell them from 0. */
export function formatCost(micros: number, currency: string): string {
  const value = micros / 1_000_000
  return new Intl.NumberFormat(i18next.language, {
    style: 'currency',
    currency,
    maximumFractionDigits: value !== 0 && value < 1 ? 6 : 2,
  }).format(value)
}

/** Costs of several currencies; the word for an unknown cost where none is known. */
export function formatCosts(costs: ReadonlyMap<string, number>, unknown: string): string {
  if (costs.size === 0) return unknown
  return [...costs].map(([currency, micros]) => formatCost(micros, currency)).join(' + ')
}
