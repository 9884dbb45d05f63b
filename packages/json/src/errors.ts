import { SvcError } from '@svc/errors'

/** Codes of a refused document: not JSON, or JSON past a limit. */
export type JsonErrorCode = 'json_syntax' | 'json_limit'

/**
 * A document that was refused. The message names the fault and the byte offset, never the content;
 * `details.offset` is that offset, `details.limit` the name of the limit that was passed.
 */
export class JsonError extends SvcError {
  override readonly name = 'JsonError'

  constructor(code: JsonErrorCode, message: string, details: { readonly offset: number; readonly limit?: string }) {
    super('invalid_request', message, { code, details })
  }
}

/** The error for bytes that are not JSON. */
export function syntaxError(problem: string, offset: number): JsonError {
  return new JsonError('json_syntax', `invalid JSON at byte ${offset}: ${problem}`, { offset })
}

/** The error for a document that passes a limit. */
export function limitError(limit: string, problem: string, offset: number): JsonError {
  return new JsonError('json_limit', `JSON at byte ${offset} has ${problem} (${limit})`, { offset, limit })
}

/** The error for asking a node for something its kind does not have: a fault of the calling code. */
export function kindError(wanted: string, found: string): SvcError {
  return new SvcError('internal', `a JSON ${found} was read as a ${wanted}`, { code: 'json_kind' })
}
