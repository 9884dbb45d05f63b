const UNITS = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, y: 365 * 86_400_000 } as const
const PART = /^(\d{1,9}(?:\.\d{1,9})?)(ms|s|m|h|d|y)/
const MAX_PARTS = 8

/**
 * A length of time such as `30d`, `1y`, `90m` or `1h30m`, in whole milliseconds.
 *
 * @returns undefined for anything else, for nothing, and for more than 100 years
 */
export function parseDuration(text: string): number | undefined {
  let rest = text.trim()
  let total = 0
  for (let parts = 0; rest !== ''; parts += 1) {
    const found = PART.exec(rest)
    if (found === null || parts === MAX_PARTS) return undefined
    const [whole, amount = '', unit = ''] = found
    total += Number(amount) * UNITS[unit as keyof typeof UNITS]
    rest = rest.slice(whole.length)
  }
  const rounded = Math.round(total)
  return rounded > 0 && rounded <= 100 * UNITS.y ? rounded : undefined
}

/** A length of time in its largest whole unit: `7d`, `90m`. */
export function formatDuration(milliseconds: number): string {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    if (milliseconds % UNITS[unit] === 0) return `${milliseconds / UNITS[unit]}${unit}`
  }
  return `${milliseconds}ms`
}
