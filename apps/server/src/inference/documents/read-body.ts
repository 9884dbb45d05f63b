import { SvcError } from '@svc/errors'
import { type JsonDocument, type JsonValue, toValueCooperatively } from '@svc/json'
import { parseBody } from '@svc/wire/parse-body'
import type * as z from 'zod'
import type { MaybePromise } from '../../ports.ts'
import { SMALL_BODY_BYTES } from './read-json.ts'
import { unparsable } from './unparsable.ts'

/**
 * Reads the typed body of a document and checks it against the route's schema. Other work runs while a large body is
 * read.
 *
 * @param isPlain a quick check for bodies that the schema takes as they are. @default every body is for the schema
 * @throws {SvcError} `invalid_request` with the prefix of unparsable bodies, naming the field
 */
export function readBody<S extends z.ZodType>(
  schema: S,
  document: JsonDocument,
  signal: AbortSignal,
  isPlain?: ((value: unknown) => value is z.output<S>) | undefined,
): MaybePromise<z.output<S>> {
  const check = (value: JsonValue): z.output<S> => (isPlain?.(value) === true ? value : checkBody(schema, value))
  if (document.bytes.length > SMALL_BODY_BYTES) return toValueCooperatively(document.root, { signal }).then(check)
  signal.throwIfAborted()
  return check(document.root.toValue())
}

function checkBody<S extends z.ZodType>(schema: S, value: JsonValue): z.output<S> {
  try {
    return parseBody(schema, value)
  } catch (error) {
    if (SvcError.is(error) && error.code === 'invalid_body') throw unparsable(error.message, error.details?.param)
    throw error
  }
}
