import { SvcError } from '@svc/errors'
import { parseJsonKeepingNumbers, TemplateFloat } from '../number.ts'
import { toEntries } from './conversation.ts'

/** The form of arguments that a template shows: JSON text, or a mapping. */
export type ArgumentsForm = 'value' | 'text'

/** Gives arguments their form. Absent and empty ones are an empty object. */
export function toArguments(value: unknown, form: ArgumentsForm): unknown {
  return form === 'value' ? toMapping(value) : toJsonText(value)
}

/** Text that is not a JSON object stays visible under the key `raw`. */
function toMapping(value: unknown): unknown {
  const entries = toEntries(value)
  if (entries !== undefined) return entries
  if (value === undefined || value === null) return new Map()
  if (typeof value !== 'string') return new Map([['raw', value]])
  if (value.trim() === '') return new Map()
  const parsed = parseJson(value)
  if (parsed instanceof Map) return parsed
  return parsed === null ? new Map() : new Map([['raw', value]])
}

/** Text stays as it was written, also when it is not JSON. */
function toJsonText(value: unknown): string {
  if (value === undefined || value === null) return '{}'
  if (typeof value === 'string') return value.trim() === '' ? '{}' : value
  return writeJson(value)
}

function parseJson(text: string): unknown {
  try {
    return parseJsonKeepingNumbers(text)
  } catch (error) {
    if (!SvcError.is(error)) throw error
    return undefined
  }
}

/** Writes data as JSON. Numbers keep their form: a float without a fraction gets one. */
export function writeJson(value: unknown): string {
  if (value instanceof TemplateFloat) {
    const text = String(value.value)
    return /^-?\d+$/.test(text) ? `${text}.0` : text
  }
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return `[${value.map(writeJson).join(', ')}]`
  const entries = toEntries(value)
  if (entries === undefined) return JSON.stringify(value) ?? 'null'
  return `{${Array.from(entries, ([key, item]) => `${JSON.stringify(key)}: ${writeJson(item)}`).join(', ')}}`
}
