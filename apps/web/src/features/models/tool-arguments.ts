import { isRecord } from '../../lib/api-error.ts'

/** An argument of a tool that one field of a form takes. */
export interface ArgumentField {
  readonly name: string
  readonly kind: 'string' | 'number' | 'integer' | 'boolean' | 'choice'
  /** Values of a choice. */
  readonly choices?: readonly string[] | undefined
  readonly description?: string | undefined
  readonly isRequired: boolean
}

/** Texts of fields by the name of the argument; those of boxes are `true` and `false`. */
export type FieldValues = Readonly<Record<string, string>>

/** Arguments, or what is wrong by the name of the argument; empty for the JSON text itself. */
export type ReadArguments =
  | { readonly args: Record<string, unknown> }
  | { readonly problems: Readonly<Record<string, 'required' | 'number'>> }

/** Most fields of a form. */
const MAX_FIELDS = 30

/** The fields of a schema of an object; undefined where a form cannot write all of its arguments. */
export function listFields(schema: Readonly<Record<string, unknown>>): readonly ArgumentField[] | undefined {
  const { properties = {}, required = [] } = schema
  const isPlain = ['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties'].every((key) => schema[key] === undefined)
  if (!isPlain || !isRecord(properties) || Object.keys(properties).length > MAX_FIELDS) return undefined
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const fields = Object.entries(properties).map(([name, property]) => toField(name, property, names.includes(name)))
  const known = fields.filter((field) => field !== undefined)
  return known.length === fields.length ? known : undefined
}

function toField(name: string, property: unknown, isRequired: boolean): ArgumentField | undefined {
  if (!isRecord(property)) return undefined
  const { type, enum: choices, description } = property
  const field = { name, isRequired, ...(typeof description === 'string' && { description }) }
  if (Array.isArray(choices)) {
    const texts = choices.filter((choice): choice is string => typeof choice === 'string' && choice !== '')
    return texts.length === choices.length ? { ...field, kind: 'choice', choices: texts } : undefined
  }
  const isSimple = type === 'string' || type === 'number' || type === 'integer' || type === 'boolean'
  return isSimple ? { ...field, kind: type } : undefined
}

/** Reads the texts of fields. Empty fields that nothing requires are left out. */
export function readArguments(fields: readonly ArgumentField[], values: FieldValues): ReadArguments {
  const args: [string, unknown][] = []
  const problems: [string, 'required' | 'number'][] = []
  for (const { name, kind, isRequired } of fields) {
    const text = values[name] ?? ''
    if (kind === 'boolean') {
      if (isRequired || text !== '') args.push([name, text === 'true'])
    } else if (text === '') {
      if (isRequired) problems.push([name, 'required'])
    } else if (kind === 'string' || kind === 'choice') {
      args.push([name, text])
    } else {
      const value = Number(text)
      const isRight = text.trim() !== '' && (kind === 'integer' ? Number.isSafeInteger(value) : Number.isFinite(value))
      if (isRight) args.push([name, value])
      else problems.push([name, 'number'])
    }
  }
  return problems.length > 0 ? { problems: Object.fromEntries(problems) } : { args: Object.fromEntries(args) }
}

/** Reads arguments that are written as JSON. */
export function readJsonArguments(text: string): ReadArguments {
  try {
    const args: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    if (isRecord(args) && !Array.isArray(args)) return { args }
  } catch {
    // refused below
  }
  return { problems: { '': 'required' } }
}

/** The texts of fields as JSON, as far as they are right. */
export function toJsonText(fields: readonly ArgumentField[], values: FieldValues): string {
  const right = fields.filter((field) => 'args' in readArguments([field], values))
  const read = readArguments(right, values)
  return JSON.stringify('args' in read ? read.args : {}, undefined, 2)
}
