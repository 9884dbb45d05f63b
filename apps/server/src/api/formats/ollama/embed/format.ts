import {
  type OllamaEmbeddingsReply,
  type OllamaEmbedReply,
  ollamaEmbeddingsRequest,
  ollamaEmbedRequest,
} from '@svc/wire/ollama'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import type { EmbedResult } from '../../../../inference/operations/operation.ts'
import { JsonPieces } from '../../../../inference/replies/json-pieces.ts'
import { toOperationCall, type WireFormat } from '../../../../inference/replies/wire-format.ts'
import { toNanoseconds } from '../figures.ts'
import type { OllamaFormatParts } from '../generation.ts'
import { toKeepAliveMs } from '../keep-alive.ts'

/** Maximum number of texts of one request. */
const MAX_INPUTS = 2048
/** Numbers that are written without a pause. */
const MAX_NUMBERS_AT_ONCE = 32_768

/** The wire format of `POST /api/embed`. A request without text only loads the model. */
export function createEmbedFormat({ clock, keepAlive }: OllamaFormatParts): WireFormat {
  return {
    async read(document, { signal }) {
      const startedAt = clock.monotonic()
      limitItems(document, 'input', MAX_INPUTS)
      const body = await readBody(ollamaEmbedRequest, document, signal)
      const keepAliveMs = toKeepAliveMs(body.keep_alive)
      return toOperationCall<'embed'>(
        {
          kind: 'embed',
          inputs: toInputs(body.input ?? body.prompt),
          dimensions: body.dimensions || undefined,
          truncates: body.truncate ?? true,
        },
        (result, { model }) => encodeVectors(result, { model, tookMs: clock.monotonic() - startedAt }),
        { completed: ({ name }) => keepAlive.set(name, keepAliveMs) },
      )
    },
  }
}

function encodeVectors(
  { vectors, promptTokens }: EmbedResult,
  { model, tookMs }: { readonly model: string; readonly tookMs: number },
): OllamaEmbedReply | JsonPieces {
  const rest = {
    model,
    total_duration: toNanoseconds(tookMs),
    // Backends do not report the time of loading apart from the work; `total_duration` includes it.
    load_duration: 0,
    prompt_eval_count: promptTokens,
  }
  const count = vectors.reduce((sum, { length }) => sum + length, 0)
  if (count > MAX_NUMBERS_AT_ONCE) return new JsonPieces(writeList(vectors, rest))
  return { ...rest, embeddings: vectors.map((vector) => Array.from(vector)) }
}

/** The wire format of `POST /api/embeddings`, the older route for one text. */
export function createEmbeddingsFormat({ keepAlive }: Pick<OllamaFormatParts, 'keepAlive'>): WireFormat {
  return {
    async read(document, { signal }) {
      const body = await readBody(ollamaEmbeddingsRequest, document, signal)
      const keepAliveMs = toKeepAliveMs(body.keep_alive)
      return toOperationCall<'embed'>(
        { kind: 'embed', inputs: toInputs(body.prompt), truncates: body.truncate ?? true },
        ({ vectors: [vector = []] }): OllamaEmbeddingsReply => ({ embedding: Array.from(vector) }),
        { completed: ({ name }) => keepAlive.set(name, keepAliveMs) },
      )
    },
  }
}

function toInputs(input: string | readonly string[] | null | undefined): readonly string[] {
  if (input == null || input === '') return []
  if (typeof input === 'string') return [input]
  const empty = input.indexOf('')
  if (empty >= 0) throw unparsable(`input[${empty}]: must not be empty`, `input[${empty}]`)
  return input
}

/** Writes a long reply, one vector at a time. */
function* writeList(vectors: readonly Float32Array[], rest: object): Generator<string> {
  yield `${JSON.stringify(rest).slice(0, -1)},"embeddings":[`
  for (const [index, vector] of vectors.entries()) {
    yield `${index === 0 ? '' : ','}${JSON.stringify(Array.from(vector))}`
  }
  yield ']}'
}
