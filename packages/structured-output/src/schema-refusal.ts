import { SvcError } from '@svc/errors'

/** The field of the request that holds a schema. */
export interface SchemaOrigin {
  /** The field as clients write it: `response_format.json_schema.schema`. */
  readonly param: string
  /** Description in words, where the field holds several. @default the field */
  readonly label?: string | undefined
}

/**
 * The refusal of a schema, before anything is generated.
 *
 * @param pointer JSON pointer of the place inside the schema; empty for the whole
 */
export function refuseSchema(origin: SchemaOrigin, pointer: string, reason: string): SvcError {
  const place = pointer === '' ? 'at its top' : `at ${shorten(pointer)}`
  return new SvcError(
    'invalid_request',
    `schema in ${origin.label ?? origin.param} cannot be used, ${place}: ${reason}`,
    {
      code: 'unsupported_schema',
      details: { param: origin.param, pointer },
    },
  )
}

const MAX_POINTER_LENGTH = 300

function shorten(pointer: string): string {
  return pointer.length <= MAX_POINTER_LENGTH ? pointer : `${pointer.slice(0, MAX_POINTER_LENGTH)}…`
}
