import { PiiError } from '../errors.ts'
import { type Encoder, type RowOutput, runRows } from './encoder.ts'
import { type Entity, type EntityOptions, mergeEntities, type ScoredToken } from './entities.ts'
import { modelFailed } from './errors.ts'
import { frameRow } from './input-batch.ts'
import { softmax } from './softmax.ts'
import { measureFrame } from './tokenizer/frame.ts'
import type { TextTokenizer } from './tokenizer/tokenizer.ts'
import { planWindows } from './windows.ts'

/** Finds entities in texts of any length. */
export interface Classifier extends EntityOptions {
  readonly encoder: Encoder
  readonly tokenizer: TextTokenizer
  /** Most tokens of one input, special tokens included. */
  readonly maxTokens: number
  /** Tokens that two windows have in common. */
  readonly overlap: number
}

/** Result of classifying a text. */
export interface Classified {
  readonly entities: readonly Entity[]
  /** Tokens read, including special tokens and overlaps. */
  readonly promptTokens: number
}

/** Limit in UTF-16 units of one text: a host must cut longer ones. */
const MAX_UNITS = 1024 * 1024

/**
 * Finds the entities of a whole text: a text longer than the model's input is read through windows.
 *
 * @throws PiiError `too_large` above 1 Mi UTF-16 units
 */
export async function classify(
  classifier: Classifier,
  text: string,
  { signal }: { readonly signal: AbortSignal },
): Promise<Classified> {
  if (text.length > MAX_UNITS) {
    throw new PiiError('too_large', `the text has ${text.length} UTF-16 units, at most ${MAX_UNITS} are read`)
  }
  const { encoder, tokenizer, maxTokens, overlap, labels } = classifier
  const tokens = await tokenizer.encode(text, { signal })
  const { single } = tokenizer
  const ids = tokens.map(({ id }) => id)
  const windows = planWindows(tokens.length, { size: maxTokens - measureFrame(single), overlap })
  const rows = windows.map(({ start, end }) => frameRow(single, ids.slice(start, end)))
  const read = (output: RowOutput, index: number): ScoredToken[] => {
    const { start = 0, keepStart = 0, keepEnd = 0 } = windows[index] ?? {}
    return tokens.slice(keepStart, keepEnd).map((token, place) => {
      const row = single.before.length + keepStart - start + place
      const logits = output.values.subarray(row * output.width, row * output.width + labels.length)
      const shares = softmax(logits)
      if (shares.some((share) => !Number.isFinite(share))) {
        throw modelFailed('the model gave no numbers')
      }
      return { start: token.start, end: token.end, shares }
    })
  }
  const scored = (await runRows(encoder, { rows, read }, { signal })).flat()
  const promptTokens = rows.reduce((sum, row) => sum + row.ids.length, 0)
  return { entities: mergeEntities(text, scored, classifier), promptTokens }
}
