import * as z from 'zod'
import { type Field, findFieldMeta } from './fields.ts'
import { modelKeys } from './model-keys.ts'

type Json = Record<string, unknown>

/** Null means an absent value everywhere. */
function allowNull({ type, enum: words, ...rest }: Json): Json {
  return Array.isArray(words) ? { ...rest, enum: [...words, null] } : { ...rest, type: [type, 'null'].flat() }
}

/** Replaces the form of the value by the forms that a file may give it. */
function widen(zodSchema: z.core.$ZodType, jsonSchema: Json): void {
  const meta = zodSchema instanceof z.ZodType ? findFieldMeta(zodSchema) : undefined
  if (meta === undefined) return
  const { description, propertyNames: _, ...found } = jsonSchema
  for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
  const form =
    meta.item !== undefined && meta.keys !== undefined ? toOneOrList(meta.item) : allowNull(meta.json ?? found)
  Object.assign(jsonSchema, description === undefined ? {} : { description }, form)
}

/** A block, or a list of them. */
function toOneOrList(item: Field): Json {
  const { properties } = z.toJSONSchema(item, OPTIONS)
  return { type: ['object', 'array', 'null'], properties, items: { type: ['object', 'null'], properties } }
}

const OPTIONS = {
  io: 'input',
  // Editors know this draft best.
  target: 'draft-07',
  override: ({ zodSchema, jsonSchema }: { readonly zodSchema: z.core.$ZodType; readonly jsonSchema: Json }) =>
    widen(zodSchema, jsonSchema),
} as const

/**
 * The JSON Schema of a model file, for editors. Every file that the server takes is valid. Rules over several keys are
 * not in it, and unknown keys are allowed as in the server.
 */
export function toModelSchema(): Json {
  const { $schema, properties } = z.toJSONSchema(modelKeys, OPTIONS)
  // A file may be a list of models.
  return { $schema, title: 'Model file of svc', type: ['object', 'array'], properties, items: { $ref: '#' } }
}

/** The text of `docs/model.schema.json`. */
export function renderModelSchema(): string {
  return `${JSON.stringify(toModelSchema(), undefined, 2)}\n`
}
