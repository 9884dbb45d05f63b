import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import { didYouMean } from '../../config/suggest.ts'
import type { BodyReader } from '../../http/body.ts'
import type { Call } from '../../http/call.ts'

/** The members of a JSON body. The library of accounts checks the values that it takes; the rest is not read. */
export type Fields = Readonly<Record<string, unknown>>

const invalidRequest = (): SvcError => new SvcError('invalid_request', 'invalid request', { code: 'invalid_body' })

/**
 * Largest form of a route that needs no credentials. Such forms hold no lists. With larger ones, strangers could fill
 * the memory that all bodies share.
 */
const MAX_ANONYMOUS_BYTES = 16 * 1024

/**
 * Reads the body of a call as a JSON object.
 *
 * @throws {SvcError} `invalid_request` for anything else; `too_large`
 */
export async function readFields(call: Call, bodies: BodyReader): Promise<Fields> {
  const held = await bodies.read(call, call.route.access === 'none' ? { maxBytes: MAX_ANONYMOUS_BYTES } : undefined)
  try {
    const { root } = await parseJsonCooperatively(held.bytes, {}, { signal: call.signal })
    const value = root.toValue()
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalidRequest()
    return value as Fields
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'invalid_request') throw error
    throw invalidRequest()
  } finally {
    held.release()
  }
}

/** Reads the body of a call as {@link readFields} does; no body at all means no members. */
export async function readOptionalFields(call: Call, bodies: BodyReader): Promise<Fields> {
  const { 'content-length': length, 'transfer-encoding': coding } = call.incoming.headers
  const hasBody = coding !== undefined || (length !== undefined && length !== '0')
  return hasBody ? readFields(call, bodies) : {}
}

/**
 * Refuses a form with members that nobody reads: a limit with a mistake in its name would not limit anything.
 *
 * @throws {SvcError} `invalid_request`, code `unknown_field`, naming the member
 */
export function refuseUnknown(fields: Fields, known: readonly string[]): void {
  const unknown = Object.keys(fields).find((name) => !known.includes(name))
  if (unknown === undefined) return
  throw new SvcError('invalid_request', `unknown field ${JSON.stringify(unknown)}${didYouMean(unknown, known)}`, {
    code: 'unknown_field',
    details: { param: unknown },
  })
}

/** Whether a form accepts a weak password. */
export function readAcknowledgement(fields: Fields): boolean {
  return fields.acknowledge_weak_password === true
}

/** Adds the code of a refused password beside the text, for the forms of pages. */
export function toPasswordRefusal(error: SvcError): SvcError {
  const { overridable } = error.details ?? {}
  if (typeof overridable !== 'boolean') return error
  return new SvcError(error.kind, error.message, {
    code: error.code,
    cause: error,
    details: { beside: { error_code: error.code, overridable } },
  })
}
