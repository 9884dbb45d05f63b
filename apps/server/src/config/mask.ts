import { inspect } from 'node:util'
import { OPTIONS } from './schema.ts'

const SECRETS = new Set(OPTIONS.filter(({ secret }) => secret === true).map(({ key }) => key))
const MASK = '********'

function maskOne(value: unknown): unknown {
  if (value === undefined || value === '') return value
  return Array.isArray(value) ? value.map(() => MASK) : MASK
}

/** The values with every secret replaced by stars. They may be shown and logged. */
function printable(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(config).map(([key, value]) => [key, SECRETS.has(key) ? maskOne(value) : value]),
  )
}

/** Makes an object of values print itself without its secrets, in JSON and on a console. */
export function maskSecrets(values: Record<string, unknown>): Record<string, unknown> {
  const print = { value: () => printable(values), enumerable: false }
  return Object.defineProperties(values, { toJSON: print, [inspect.custom]: print })
}
