import { SvcError } from '@svc/errors'
import { type JsonDocument, parseJson, parseJsonCooperatively } from '@svc/json'
import type { Exchange } from '../exchange.ts'
import type { Stage } from '../pipeline.ts'
import type { HeldBytes, RequestBody, RequestContext } from '../ports.ts'

/** The prefix of every refusal of a body (§7.1). */
const PARSE_PREFIX = 'failed parsing request body:'

/** The refusal of a body that is not what the route takes. */
export function unparsable(detail: string, param?: string): SvcError {
  return new SvcError('invalid_request', `${PARSE_PREFIX} ${detail}`, {
    code: 'unparsable_body',
    details: { type: 'invalid_request_error', param },
  })
}

/**
 * Objects, arrays and keys of a body: many times what any request has, few enough that checking them against a schema
 * does not hold up others (threats IN-3).
 */
const LIMITS = { maxNodes: 250_000 }
const SMALL_BODY_BYTES = 32 * 1024

/**
 * A body as a token tree with byte offsets, its depth and size guarded.
 *
 * @throws {SvcError} `invalid_request` for what is no JSON object, or too large a one
 */
export async function readDocument(
  bytes: Uint8Array,
  { ending: signal }: Pick<RequestContext, 'ending'>,
): Promise<JsonDocument> {
  if (bytes.length <= SMALL_BODY_BYTES) return readSmallDocument(bytes)
  return asObject(await parseJsonCooperatively(bytes, LIMITS, { signal }).catch(refuse))
}

/** The same at once, for a body that is read in less than a millisecond. */
function readSmallDocument(bytes: Uint8Array): JsonDocument {
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

/** Reads the body once as bytes and keeps it as a token tree; a message of a socket is one already. */
export const bodyStage: Stage = (exchange) => {
  const { body } = exchange
  if (body === undefined) return undefined
  const held = body.whole()
  if (held === undefined || held.bytes.length > SMALL_BODY_BYTES) return readSlowly(exchange, body, held)
  exchange.atEnd(held.release)
  exchange.document = readSmallDocument(held.bytes)
  return undefined
}

/** A body that is still to come, or takes a while to parse. */
async function readSlowly(exchange: Exchange, body: RequestBody, whole: HeldBytes | undefined): Promise<void> {
  const held = whole ?? (await body.read())
  exchange.atEnd(held.release)
  exchange.document = await readDocument(held.bytes, exchange.call)
}
