import { SvcError } from '@svc/errors'
import { type JsonDocument, parseJsonCooperatively } from '@svc/json'
import type { BodyReader } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'
import type { Stage } from '../pipeline.ts'

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
const MAX_BODY_NODES = 250_000

/**
 * A body as a token tree with byte offsets, its depth and size guarded.
 *
 * @throws {SvcError} `invalid_request` for what is no JSON object, or too large a one
 */
export async function readDocument(bytes: Uint8Array, { ending: signal }: Pick<Call, 'ending'>): Promise<JsonDocument> {
  if (bytes.length === 0) throw unparsable('the body is empty')
  const document = await parseJsonCooperatively(bytes, { maxNodes: MAX_BODY_NODES }, { signal }).catch(
    (error: unknown) => {
      throw SvcError.is(error) && error.kind === 'invalid_request' ? unparsable(error.message) : error
    },
  )
  if (document.root.kind !== 'object') throw unparsable('the body must be a JSON object')
  return document
}

/** Reads the body once as bytes and keeps it as a token tree; a message of a socket is one already. */
export function bodyStage(reader: BodyReader): Stage {
  return async (exchange, next) => {
    if (exchange.transport === 'websocket') return await next()
    const held = await reader.read(exchange.call)
    try {
      exchange.document = await readDocument(held.bytes, exchange.call)
      await next()
    } finally {
      held.release()
    }
  }
}
