import type { Call } from '../../../http/call.ts'
import { ALREADY_SENT } from '../../../http/edge.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import { Exchange } from '../../../inference/exchange.ts'
import { BodyOfCall } from '../define-inference-route.ts'
import { countInputCodec } from './codec.ts'
import { type CreateParts, readerOf } from './create.ts'

/** Answers `POST /v1/responses/input_tokens`: the size of what a model would read, the conversation before it included. */
export async function countInput(
  call: Call,
  { pipeline, compression, bodies, store, live }: Omit<CreateParts, 'clock' | 'opaqueErrors'>,
): Promise<Response> {
  const codec = countInputCodec({ store, live, reader: readerOf(call) })
  await pipeline(
    new Exchange({ call, codec, writer: createReplyWriter(call, { compression }), body: new BodyOfCall(bodies, call) }),
  )
  return ALREADY_SENT
}
