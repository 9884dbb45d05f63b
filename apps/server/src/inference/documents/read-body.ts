import { SvcError } from '@svc/errors'
import { type JsonDocument, toValueCooperatively } from '@svc/json'
import { parseBody } from '@svc/wire/parse-body'
import type * as z from 'zod'
import { unparsable } from './unparsable.ts'

/**
 * Reads the typed body of a document and checks it against the route's schema. Other work runs while a large body is
 * read.
 *
 * @throws {SvcError} `invalid_request` with the prefix of unparsable bodies, naming the field
 */
export async function readBody<S extends z.ZodType>(
  schema: S,
  document: JsonDocument,
  signal: AbortSignal,
): Promise<z.output<S>> {
  const value = await toValueCooperatively(document.root, { signal })
  try {
    return parseBody(schema, value)
  } catch (error) {
    if (SvcError.is(error) && error.code === 'invalid_body') throw unparsable(error.message, error.details?.param)
    throw error
  }
}
