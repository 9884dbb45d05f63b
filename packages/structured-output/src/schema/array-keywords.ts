import { readKeyword, readSchema, readSchemas, refuse } from './keywords.ts'
import { type SchemaPlace, toChildPlace } from './schema-document.ts'

/** The schemas of the elements of an array. */
export interface ElementSchemas {
  /** Schemas of the first elements, one by one. */
  readonly prefix: readonly SchemaPlace[]
  /** Schema of all other elements; undefined where they are free. */
  readonly rest: SchemaPlace | undefined
}

/** Reads `prefixItems` and `items`, and the older form where `items` is a list and `additionalItems` the rest. */
export function readElementSchemas(place: SchemaPlace): ElementSchemas {
  const items = readKeyword(place, 'items')
  if (!Array.isArray(items)) return { prefix: readSchemas(place, 'prefixItems'), rest: readSchema(place, 'items') }
  if (readKeyword(place, 'prefixItems') !== undefined)
    throw refuse(place, 'items', 'must be a schema beside prefixItems')
  const prefix = items.map((_, index) => toChildPlace(place, 'items', index))
  return { prefix, rest: readSchema(place, 'additionalItems') }
}
