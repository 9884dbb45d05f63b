import { readFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import { parseJsonCooperatively } from '@svc/json'
import type * as z from 'zod'
import { refuseAgent } from '../../../agents/agent-errors.ts'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { FormReader } from '../../../http/forms/form-reader.ts'
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

/** The largest file of an import, bytes. */
const MAX_FILE_BYTES = 4_194_304

/** As {@link withForm}, also for a form with the body as its `file`. */
export async function withFileOrForm<S extends z.ZodType>(
  call: Call,
  { bodies, forms, schema }: { readonly bodies: BodyReader; readonly forms: FormReader; readonly schema: S },
  use: (form: z.output<S>) => Promise<HttpReply>,
): Promise<HttpReply> {
  if (call.incoming.headers['content-type']?.toLowerCase().startsWith('multipart/form-data') !== true) {
    return withForm(call, { bodies, schema }, use)
  }
  const held = await forms.read(call, { files: { file: {} } })
  try {
    const [file] = held.files
    if (file === undefined) throw refuseAgent('Invalid request body: file: Required', 'file')
    if (file.sizeBytes > MAX_FILE_BYTES) {
      throw new SvcError('too_large', `file: larger than ${MAX_FILE_BYTES} bytes`, { code: 'file_too_large' })
    }
    return await use(await readForm(schema, await readFile(file.path), call.signal))
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
