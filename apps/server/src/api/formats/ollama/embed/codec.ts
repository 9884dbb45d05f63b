import {
  type OllamaEmbeddingsReply,
  type OllamaEmbedReply,
  ollamaEmbeddingsRequest,
  ollamaEmbedRequest,
} from '@svc/wire/ollama'
import type { OperationCodec } from '../../../../inference/codec.ts'
import { JsonPieces } from '../../../../inference/json-pieces.ts'
import { limitItems } from '../../../../inference/limit-items.ts'
import type { EmbedRequest } from '../../../../inference/operations/operation.ts'
import { readBody } from '../../../../inference/read-body.ts'
import { unparsable } from '../../../../inference/stages/body.ts'
import type { Clock } from '../../../../ports.ts'
import { toNanoseconds } from '../figures.ts'
import { type KeepAliveFields, toKeepAliveMs } from '../keep-alive.ts'

/** An embedding request with what only this format asks for. */
interface OllamaEmbed extends EmbedRequest, KeepAliveFields {
  /** Monotonic milliseconds at which the request was read. */
  readonly startedAt: number
}

/** Texts of one request. */
const MAX_INPUTS = 2048
/** Numbers that are written without a pause. */
const MAX_NUMBERS_AT_ONCE = 32_768

/** The two ends of `POST /api/embed`. Without a text the model is only loaded. */
export function createEmbedCodec(clock: Clock): OperationCodec<'embed', OllamaEmbed> {
  return {
    operation: 'embed',
    async parse(document, { signal }) {
      const startedAt = clock.monotonic()
      limitItems(document, 'input', MAX_INPUTS)
      const body = await readBody(ollamaEmbedRequest, document, signal)
      return {
        kind: 'embed',
        inputs: toInputs(body.input ?? body.prompt),
        dimensions: body.dimensions || undefined,
        keepAliveMs: toKeepAliveMs(body.keep_alive),
        startedAt,
      }
    },
    reply({ startedAt }, { vectors, promptTokens }, { model }) {
      const rest = {
        model,
        total_duration: toNanoseconds(clock.monotonic() - startedAt),
        // loading is part of the whole: backends do not tell it from the work
        load_duration: 0,
        prompt_eval_count: promptTokens,
      }
      const count = vectors.reduce((sum, { length }) => sum + length, 0)
      if (count > MAX_NUMBERS_AT_ONCE) return new JsonPieces(writeList(vectors, rest))
      return { ...rest, embeddings: vectors.map((vector) => Array.from(vector)) } satisfies OllamaEmbedReply
    },
  }
}

/** The two ends of `POST /api/embeddings`, the older route for one text. */
export const embeddingsCodec: OperationCodec<'embed', EmbedRequest & KeepAliveFields> = {
  operation: 'embed',
  async parse(document, { signal }) {
    const body = await readBody(ollamaEmbeddingsRequest, document, signal)
    return { kind: 'embed', inputs: toInputs(body.prompt), keepAliveMs: toKeepAliveMs(body.keep_alive) }
  },
  reply: (_request, { vectors: [vector = []] }) => ({ embedding: Array.from(vector) }) satisfies OllamaEmbeddingsReply,
}

function toInputs(input: string | readonly string[] | null | undefined): readonly string[] {
  if (input == null || input === '') return []
  if (typeof input === 'string') return [input]
  const empty = input.indexOf('')
  if (empty >= 0) throw unparsable(`input[${empty}]: must not be empty`, `input[${empty}]`)
  return input
}

/** The text of a long reply, a vector at a time. */
function* writeList(vectors: readonly Float32Array[], rest: object): Generator<string> {
  yield `${JSON.stringify(rest).slice(0, -1)},"embeddings":[`
  for (const [index, vector] of vectors.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(Array.from(vector))}`
  }
  yield ']}'
}
