import { type Embedded, normalizeVector } from '@svc/backend-kit'
import {
  type Encoder,
  frameRow,
  type InputRow,
  measureFrame,
  type RowOutput,
  runRows,
  type TextTokenizer,
} from '@svc/pii/encoder'
import { invalidRequest } from '../errors.ts'
import type { Pooling } from './settings.ts'

/** Computes vectors of texts. */
export interface Embedder {
  readonly encoder: Encoder
  readonly tokenizer: TextTokenizer
  /** Most tokens of one text, special tokens included. */
  readonly maxTokens: number
  /** Whether a text that is too long loses its end. */
  readonly truncates: boolean
  readonly pooling: Pooling
  /** Scaling of vectors, see {@link normalizeVector}. */
  readonly norm: number
}

/** A text, or its token ids. */
export type EmbedInput = string | readonly number[]

/** Options of {@link embed}. */
export interface EmbedOptions {
  /** @default as the model was loaded */
  readonly truncates?: boolean | undefined
  readonly signal: AbortSignal
}

/**
 * Computes the vectors of some texts, in their order. @throws OnnxError `invalid_request` for a text that is empty or
 * too long
 */
export async function embed(
  embedder: Embedder,
  inputs: readonly EmbedInput[],
  { truncates = embedder.truncates, signal }: EmbedOptions,
): Promise<readonly Embedded[]> {
  const rows: InputRow[] = []
  for (const input of inputs) rows.push(await toRow(embedder, input, { truncates, signal }))
  const { encoder, pooling, norm } = embedder
  const isPooled = !encoder.perToken
  const read = (output: RowOutput, index: number): Embedded => ({
    vectors: pool(output, isPooled ? 'cls' : pooling).map((vector) => normalizeVector(vector, norm)),
    perToken: !isPooled && pooling === 'none',
    promptTokens: rows[index]?.ids.length ?? 0,
  })
  return await runRows(encoder, { rows, read }, { signal })
}

async function toRow(
  { tokenizer, maxTokens }: Embedder,
  input: EmbedInput,
  { truncates, signal }: Required<EmbedOptions>,
): Promise<InputRow> {
  if (input.length === 0) throw invalidRequest('there is no text to embed', 'Embeddings')
  const ids = typeof input === 'string' ? (await tokenizer.encode(input, { signal })).map(({ id }) => id) : input
  const room = maxTokens - measureFrame(tokenizer.single)
  if (ids.length > room && !truncates) {
    const count = ids.length + measureFrame(tokenizer.single)
    throw invalidRequest(`the text has ${count} tokens, this model embeds up to ${maxTokens}`, 'Embeddings')
  }
  const row = frameRow(tokenizer.single, ids.slice(0, room))
  if (row.ids.length === 0) throw invalidRequest('the text has no tokens', 'Embeddings')
  return row
}

/** Pools the vectors of all tokens to one, or returns all of them. */
function pool({ values, length, width }: RowOutput, pooling: Pooling): Float32Array[] {
  const at = (token: number): Float32Array => values.slice(token * width, (token + 1) * width)
  switch (pooling) {
    case 'none':
      return Array.from({ length }, (_, token) => at(token))
    case 'cls':
      return [at(0)]
    case 'last':
      return [at(length - 1)]
    case 'max':
      return [combine(values, { length, width }, Math.max)]
    case 'mean':
      return [combine(values, { length, width }, (a, b) => a + b).map((sum) => sum / length)]
  }
}

function combine(
  values: Float32Array,
  { length, width }: { readonly length: number; readonly width: number },
  join: (a: number, b: number) => number,
): Float32Array {
  const result = values.slice(0, width)
  for (let token = 1; token < length; token++) {
    for (let index = 0; index < width; index++) {
      result[index] = join(result[index] ?? 0, values[token * width + index] ?? 0)
    }
  }
  return result
}
