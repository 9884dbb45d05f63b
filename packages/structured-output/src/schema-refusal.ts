import { SvcError } from '@svc/errors'

/** The field of the request that holds a schema. */
export interface SchemaOrigin {
  /** The field as clients write it: `response_format.json_schema.schema`. */
  readonly param: string
  /** Description in words, where the field holds several. @default the field */
  readonly label?: string | undefined
}

/** A schema that cannot be used; found before anything is generated. */
export class SchemaRefusal extends SvcError {
  override readonly name = 'SchemaRefusal'
  readonly origin: SchemaOrigin
  /** JSON pointer of the place inside the schema; empty for the whole. */
  readonly pointer: string
  readonly reason: string

  constructor(origin: SchemaOrigin, pointer: string, reason: string) {
    const place = pointer === '' ? 'at its top' : `at ${shortenPointer(pointer)}`
    super('invalid_request', `schema in ${origin.label ?? origin.param} cannot be used, ${place}: ${reason}`, {
      code: 'unsupported_schema',
      details: { param: origin.param, pointer },
    })
    this.origin = origin
    this.pointer = pointer
    this.reason = reason
  }
}

/** Creates the refusal of a schema. */
export function refuseSchema(origin: SchemaOrigin, pointer: string, reason: string): SchemaRefusal {
  return new SchemaRefusal(origin, pointer, reason)
}

const MAX_POINTER_LENGTH = 300

/** A pointer as messages show it. */
export function shortenPointer(pointer: string): string {
  return pointer.length <= MAX_POINTER_LENGTH ? pointer : `${pointer.slice(0, MAX_POINTER_LENGTH)}…`
}
