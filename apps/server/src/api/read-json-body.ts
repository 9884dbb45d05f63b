import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type * as z from 'zod'
import type { BodyReader } from '../http/body.ts'
import type { Call } from '../http/call.ts'
import { readBody } from '../inference/documents/read-body.ts'
import { unparsable } from '../inference/documents/unparsable.ts'

/** The JSON body of a call. @throws {SvcError} `invalid_request` for a body that is empty or does not fit the schema */
export async function readJsonBody<S extends z.ZodType>(
  call: Call,
  schema: S,
  bodies: BodyReader,
  limits?: Parameters<BodyReader['read']>[1],
): Promise<z.output<S>> {
  const held = await bodies.read(call, limits)
  try {
    if (held.bytes.length === 0)
      throw new SvcError('invalid_request', 'the request body is empty', { code: 'empty_body' })
    const document = await parseJsonCooperatively(held.bytes, {}, { signal: call.signal }).catch((error: unknown) => {
      throw SvcError.is(error) && error.kind === 'invalid_request' ? unparsable(error.message) : error
    })
    return await readBody(schema, document, call.signal)
  } finally {
    held.release()
  }
}
