import type { ConfigField } from './field-catalogue.ts'

/** Shows a value in a field of text; empty where the file does not set the key. */
export function toFieldText(value: unknown): string {
  return value === undefined || value === null ? '' : String(value)
}

/** Reads a typed text as the value of a key: a number if the key takes numbers, undefined for an empty text. */
export function toScalar(text: string, { component }: Pick<ConfigField, 'component'>): unknown {
  if (text.trim() === '') return undefined
  if (component !== 'number') return text
  const isNumber = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?\s*$/i.test(text)
  // a number that is being typed stays a text, or the field would take its end away
  if (!isNumber || /[.e]$/i.test(text.trim())) return text
  return Number.isFinite(Number(text)) ? Number(text) : text
}

/** Reads a switch as YAML writes it: `true`, `false`, or empty where the file does not set the key. */
export function readSwitch(value: unknown): string {
  if (value === undefined || value === null) return ''
  return /^(?:true|y|yes|on)$/i.test(String(value)) ? 'true' : 'false'
}

/** Prints a list of texts, one per line. A value that is not a list is printed as the only line. */
export function printLines(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join('\n') : toFieldText(value)
}

/** Reads a list of texts; empty lines are left out. */
export function toLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

/** Lists the choices for a key. A value of the file that the catalogue does not know stays a choice. */
export function listChoices({ options }: Pick<ConfigField, 'options'>, value: unknown): readonly string[] {
  const current = toFieldText(value)
  return [...new Set([...options, ...(current === '' ? [] : [current])])]
}
