import { endianness } from 'node:os'
import {
  type ChatRequestMessage,
  type Embedding,
  type EmbeddingList,
  type EmbeddingRequest,
  embeddingRequest,
  toTexts,
} from '@svc/wire/openai'
import type { ChatMessage } from '../../../../inference/core/request.ts'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import type { EmbedInput, EmbedResult } from '../../../../inference/operations/operation.ts'
import { JsonPieces } from '../../../../inference/replies/json-pieces.ts'
import { type ReplyFacts, toOperationCall, type WireFormat } from '../../../../inference/replies/wire-format.ts'
import { toMessage } from '../chat/to-domain.ts'
import { MAX_MESSAGES, MAX_TOKENS_SENT } from '../limits.ts'

/** The maximum that the format itself allows. */
const MAX_INPUTS = 2048
/** Numbers that are written without a pause. */
const MAX_NUMBERS_AT_ONCE = 32_768
const IS_LITTLE_ENDIAN = endianness() === 'LE'

/** The wire format of `POST /v1/embeddings`. */
export const embeddingFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'input', MAX_TOKENS_SENT)
    limitItems(document, 'messages', MAX_MESSAGES)
    const body = await readBody(embeddingRequest, document, signal)
    const encoding = body.encoding_format ?? 'float'
    return toOperationCall<'embed'>(
      {
        kind: 'embed',
        inputs: toInputs(body),
        dimensions: body.dimensions ?? undefined,
        pooling: body.pooling ?? undefined,
        poolingHalfLifeTokens: body.pooling_half_life_tokens ?? undefined,
      },
      (result, facts) => encodeList(encoding, result, facts),
    )
  },
}

type Encoding = 'float' | 'base64'

function encodeList(encoding: Encoding, result: EmbedResult, facts: ReplyFacts): EmbeddingList | JsonPieces {
  const count = result.vectors.reduce((sum, { length }) => sum + length, 0)
  return count > MAX_NUMBERS_AT_ONCE
    ? new JsonPieces(writeList(encoding, result, facts))
    : toList(encoding, result, facts)
}

function toList(encoding: Encoding, { vectors, promptTokens }: EmbedResult, facts: ReplyFacts): EmbeddingList {
  return {
    id: `embd-${facts.requestId}`,
    object: 'list',
    model: facts.model,
    data: vectors.map((vector, index) => toEmbedding(vector, index, encoding)),
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  }
}

/** Writes the text of {@link toList}, one vector at a time. */
function* writeList(encoding: Encoding, result: EmbedResult, facts: ReplyFacts): Generator<string> {
  const { data: _, usage, ...rest } = toList(encoding, { ...result, vectors: [] }, facts)
  yield `${JSON.stringify(rest).slice(0, -1)},"data":[`
  for (const [index, vector] of result.vectors.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(toEmbedding(vector, index, encoding))}`
  }
  yield `],"usage":${JSON.stringify(usage)}}`
}

function toEmbedding(vector: Float32Array, index: number, encoding: Encoding): Embedding {
  return { object: 'embedding', index, embedding: encoding === 'base64' ? toBase64(vector) : Array.from(vector) }
}

function toInputs({ input, messages }: EmbeddingRequest): readonly EmbedInput[] {
  if (input == null && messages == null) throw unparsable('input: Required', 'input')
  if (input != null && messages != null) throw unparsable('input: give it or messages, not both', 'input')
  if (messages != null) return [{ messages: messages.map(toTextMessage) }]
  const inputs = toTexts(input ?? [])
  if (inputs.length === 0) throw unparsable('input: must not be empty', 'input')
  if (inputs.length > MAX_INPUTS) throw unparsable(`input: more than ${MAX_INPUTS} inputs`, 'input')
  const empty = inputs.findIndex(({ length }) => length === 0)
  if (empty < 0) return inputs
  const param = typeof input === 'string' ? 'input' : `input[${empty}]`
  throw unparsable(`${param}: must not be empty`, param)
}

function toTextMessage(message: ChatRequestMessage, index: number): ChatMessage {
  const written = toMessage(message, index)
  const [medium] = written.attachments ?? []
  if (medium !== undefined) throw unparsable(`${medium.param}: only text can be embedded`, medium.param)
  return written
}

/** Encodes the numbers as little-endian 32-bit floats, as official clients read them. */
function toBase64({ buffer, byteOffset, byteLength }: Float32Array): string {
  const bytes = Buffer.from(buffer, byteOffset, byteLength)
  return (IS_LITTLE_ENDIAN ? bytes : Buffer.from(bytes).swap32()).toString('base64')
}
