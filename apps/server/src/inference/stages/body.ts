import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type { BodyReader } from '../../http/body.ts'
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

/** Reads the body once as bytes, guards its depth and size, and keeps it as a token tree with byte offsets. */
export function bodyStage(reader: BodyReader): Stage {
  return async (exchange, next) => {
    const held = await reader.read(exchange.call)
    try {
      if (held.bytes.length === 0) throw unparsable('the body is empty')
      const document = await parseJsonCooperatively(
        held.bytes,
        { maxNodes: MAX_BODY_NODES },
        { signal: exchange.call.signal },
      ).catch((error: unknown) => {
        throw SvcError.is(error) && error.kind === 'invalid_request' ? unparsable(error.message) : error
      })
      if (document.root.kind !== 'object') throw unparsable('the body must be a JSON object')
      exchange.document = document
      await next()
    } finally {
      held.release()
    }
  }
}
