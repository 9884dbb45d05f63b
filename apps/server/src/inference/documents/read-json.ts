import { SvcError } from '@svc/errors'
import { type JsonDocument, parseJson, parseJsonCooperatively } from '@svc/json'
import type { RequestContext } from '../core/ports.ts'
import { unparsable } from './unparsable.ts'

/**
 * Maximum number of objects, arrays and keys of a body. Real requests have far fewer, and checking this many against a
 * schema does not block other requests (threats IN-3).
 */
const LIMITS = { maxNodes: 250_000 }
/** A larger body takes long to parse. */
export const SMALL_BODY_BYTES = 32 * 1024

/**
 * Reads a body as a token tree with byte offsets, limited in depth and size.
 *
 * @throws {SvcError} `invalid_request` for anything but a JSON object within the limits
 */
export async function readDocument(
  bytes: Uint8Array,
  { abort: signal }: Pick<RequestContext, 'abort'>,
): Promise<JsonDocument> {
  if (bytes.length <= SMALL_BODY_BYTES) return readSmallDocument(bytes)
  return asObject(await parseJsonCooperatively(bytes, LIMITS, { signal }).catch(refuse))
}

/** Reads a small body without a pause: it takes less than a millisecond. */
export function readSmallDocument(bytes: Uint8Array): JsonDocument {
  if (bytes.length === 0) throw unparsable('the body is empty')
  try {
    return asObject(parseJson(bytes, LIMITS))
  } catch (error) {
    return refuse(error)
  }
}

function asObject(document: JsonDocument): JsonDocument {
  if (document.root.kind !== 'object') throw unparsable('the body must be a JSON object')
  return document
}

function refuse(error: unknown): never {
  const isFault = SvcError.is(error) && error.kind === 'invalid_request' && error.code !== 'unparsable_body'
  throw isFault ? unparsable(error.message) : error
}
