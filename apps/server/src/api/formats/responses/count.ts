import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { serveCall } from '../define-inference-route.ts'
import { type CreateParts, toReader } from './create.ts'
import { createInputCountFormat } from './format.ts'

/** Answers `POST /v1/responses/input_tokens`: the size of a conversation as the model would read it. */
export function countInput(call: Call, parts: CreateParts): Promise<HttpReply> {
  const { store, live } = parts
  return serveCall(call, createInputCountFormat({ store, live, reader: toReader(call) }), parts)
}
