const UNITS: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
}
const AMOUNT = /^(\d{1,15}(?:\.\d{1,6})?)\s?([a-z%]{0,3})$/i

/** A cap of the memory that models may take: bytes, or a share of all. */
export type VramBudget = { readonly bytes: number } | { readonly share: number }

/** Reads an amount such as `8GB` or `1.5 GiB`, bytes. Undefined for anything else, and for 0. */
export function parseAmount(text: string): number | undefined {
  const [, amount = '', unit = ''] = AMOUNT.exec(text.trim()) ?? []
  const size = UNITS[unit.toLowerCase()]
  if (amount === '' || size === undefined) return undefined
  const bytes = Math.floor(Number(amount) * size)
  return bytes >= 1 && Number.isSafeInteger(bytes) ? bytes : undefined
}

/** Reads a budget such as `8GB`, `8589934592` or `80%`. Undefined for anything else, for 0, and above 100 %. */
export function parseVramBudget(text: string): VramBudget | undefined {
  const [, amount = '', unit = ''] = AMOUNT.exec(text.trim()) ?? []
  if (unit === '%') {
    const value = Number(amount)
    return value > 0 && value <= 100 ? { share: value / 100 } : undefined
  }
  const bytes = parseAmount(text)
  return bytes === undefined ? undefined : { bytes }
}

/** Bytes of a budget on a worker; undefined: there is none, or its share is of memory that is not known. */
export function toBudgetBytes(text: string, totalVram: number): number | undefined {
  const budget = text === '' ? undefined : parseVramBudget(text)
  if (budget === undefined) return undefined
  if ('bytes' in budget) return budget.bytes
  return totalVram > 0 ? Math.floor(totalVram * budget.share) : undefined
}
