import { type EmbeddingList, type EmbeddingRequest, embeddingRequest, textsOf } from '@svc/wire'
import type { OperationCodec } from '../../../inference/codec.ts'
import { limitItems } from '../../../inference/limit-items.ts'
import type { EmbedInput, EmbedRequest } from '../../../inference/operations/operation.ts'
import { readBody } from '../../../inference/read-body.ts'
import { unparsable } from '../../../inference/stages/body.ts'
import { toMessage } from '../chat/to-domain.ts'
import { MAX_MESSAGES, MAX_TOKENS_SENT } from '../limits.ts'

/** An embedding request with what only its own format asks for. */
interface CompatibleEmbedRequest extends EmbedRequest {
  readonly encoding: 'float' | 'base64'
}

/** As many as the format itself allows. */
const MAX_INPUTS = 2048

/** The two ends of `POST /v1/embeddings`. */
export const embeddingCodec: OperationCodec<'embed', CompatibleEmbedRequest> = {
  operation: 'embed',
  async parse(document, { signal }) {
    limitItems(document, 'input', MAX_TOKENS_SENT)
    limitItems(document, 'messages', MAX_MESSAGES)
    const body = await readBody(embeddingRequest, document, signal)
    return {
      kind: 'embed',
      inputs: toInputs(body),
      dimensions: body.dimensions ?? undefined,
      pooling: body.pooling ?? undefined,
      poolingHalfLifeTokens: body.pooling_half_life_tokens ?? undefined,
      encoding: body.encoding_format ?? 'float',
    }
  },
  reply: ({ encoding }, { vectors, promptTokens }, facts): EmbeddingList => ({
    id: `embd-${facts.requestId}`,
    object: 'list',
    model: facts.model,
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: encoding === 'base64' ? toBase64(vector) : Array.from(vector),
    })),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  }),
}

function toInputs({ input, messages }: EmbeddingRequest): readonly EmbedInput[] {
  if (input == null && messages == null) throw unparsable('input: Required', 'input')
  if (input != null && messages != null) throw unparsable('input: give it or messages, not both', 'input')
  if (messages != null) return [{ messages: messages.map(toMessage) }]
  const inputs = textsOf(input ?? [])
  if (inputs.length === 0) throw unparsable('input: must not be empty', 'input')
  if (inputs.length > MAX_INPUTS) throw unparsable(`input: more than ${MAX_INPUTS} inputs`, 'input')
  const empty = inputs.findIndex(({ length }) => length === 0)
  if (empty < 0) return inputs
  const param = typeof input === 'string' ? 'input' : `input[${empty}]`
  throw unparsable(`${param}: must not be empty`, param)
}

/** The numbers as 32-bit floats in little-endian order, as official clients read them. */
function toBase64(vector: Float32Array): string {
  const bytes = Buffer.allocUnsafe(vector.length * Float32Array.BYTES_PER_ELEMENT)
  for (const [index, value] of vector.entries()) bytes.writeFloatLE(value, index * Float32Array.BYTES_PER_ELEMENT)
  return bytes.toString('base64')
}
