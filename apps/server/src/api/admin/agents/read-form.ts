import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type * as z from 'zod'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { readBody } from '../../../inference/documents/read-body.ts'

/** The shared part of these routes. */
export const AGENT_ROUTE = { access: 'admin', family: 'flat', tag: 'agents' } as const

const PREFIX = /^failed parsing request body: /

/** Runs `use` on the checked body of a call. The body counts as held until `use` has ended. */
export async function withForm<S extends z.ZodType>(
  call: Call,
  { bodies, schema }: { readonly bodies: BodyReader; readonly schema: S },
  use: (form: z.output<S>) => Promise<HttpReply>,
): Promise<HttpReply> {
  const held = await bodies.read(call)
  try {
    const { signal } = call
    const form = await readForm(schema, held.bytes, signal)
    return await use(form)
  } finally {
    held.release()
  }
}

async function readForm<S extends z.ZodType>(schema: S, bytes: Uint8Array, signal: AbortSignal): Promise<z.output<S>> {
  try {
    return await readBody(schema, await parseJsonCooperatively(bytes, {}, { signal }), signal)
  } catch (error) {
    if (!SvcError.is(error) || error.kind !== 'invalid_request') throw error
    const message = `Invalid request body: ${error.message.replace(PREFIX, '')}`
    throw new SvcError('invalid_request', message, { code: error.code, cause: error })
  }
}
