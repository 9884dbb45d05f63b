import { inspect } from 'node:util'
import { OPTION_ROWS } from './schema.ts'

const SECRETS = new Set(OPTION_ROWS.filter(([, option]) => option.secret === true).map(([key]) => key))
const MASK = '********'

function maskOne(value: unknown): unknown {
  if (value === undefined || value === '') return value
  return Array.isArray(value) ? value.map(() => MASK) : MASK
}

/** The values with every secret replaced by stars: what may be shown and logged. */
function printable(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, SECRETS.has(key) ? maskOne(value) : value]),
  )
}

/** Teaches an object of values to print itself without its secrets, in JSON as on a console. */
export function maskSecrets(values: Record<string, unknown>): Record<string, unknown> {
  const print = { value: () => printable(values), enumerable: false }
  return Object.defineProperties(values, { toJSON: print, [inspect.custom]: print })
}
