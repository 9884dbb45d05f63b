import { cosineSimilarity, type Ranked, type RankRequest } from '@svc/backend-kit'
import {
  type Encoder,
  type Frame,
  frameRow,
  type InputRow,
  measureFrame,
  type RowOutput,
  runRows,
  softmax,
  type TextTokenizer,
} from '@svc/pii/encoder'
import { invalidRequest } from '../errors.ts'
import { type Embedder, embed } from './embed.ts'

/** Ranks texts by the head of a model that reads two texts at once. */
export interface Ranker {
  readonly encoder: Encoder
  readonly tokenizer: TextTokenizer
  readonly frame: Frame
  /** Most tokens of query and document together, special tokens included. */
  readonly maxTokens: number
  readonly truncates: boolean
  /** Index of the label whose probability is the score; undefined for a head with one number, which is a logit. */
  readonly label: number | undefined
}

interface CallOptions {
  readonly signal: AbortSignal
}

/**
 * Scores documents by a head, 0 to 1. @throws OnnxError `invalid_request` for a pair that is too long and must not be
 * cut
 */
export async function rankByHead(
  ranker: Ranker,
  { query, documents }: RankRequest,
  { signal }: CallOptions,
): Promise<Ranked> {
  const queryIds = (await ranker.tokenizer.encode(query, { signal })).map(({ id }) => id)
  const rows: InputRow[] = []
  for (const [index, document] of documents.entries()) {
    const ids = (await ranker.tokenizer.encode(document, { signal })).map(({ id }) => id)
    const room = ranker.maxTokens - measureFrame(ranker.frame) - queryIds.length
    if (room < 0 || (ids.length > room && !ranker.truncates)) {
      const count = ids.length + queryIds.length + measureFrame(ranker.frame)
      const message = `query and document have ${count} tokens, this model reads up to ${ranker.maxTokens}`
      throw invalidRequest(message, `documents[${index}]`)
    }
    rows.push(frameRow(ranker.frame, queryIds, ids.slice(0, room)))
  }
  const read = ({ values }: RowOutput): number => toScore(values, ranker.label)
  return {
    scores: await runRows(ranker.encoder, { rows, read }, { signal }),
    promptTokens: rows.reduce((sum, row) => sum + row.ids.length, 0),
  }
}

/** Scores documents by the cosine between vectors of whole texts. @throws OnnxError `invalid_request`, see {@link embed} */
export async function rankByCosine(
  embedder: Embedder,
  { query, documents }: RankRequest,
  { signal }: CallOptions,
): Promise<Ranked> {
  if (documents.length === 0) return { scores: [], promptTokens: 0 }
  const [asked, ...answers] = await embed(embedder, [query, ...documents], { signal })
  const queryVector = asked?.vectors[0] ?? new Float32Array()
  return {
    scores: answers.map(({ vectors }) => cosineSimilarity(queryVector, vectors[0] ?? new Float32Array())),
    promptTokens: answers.reduce((sum, { promptTokens }) => sum + promptTokens, asked?.promptTokens ?? 0),
  }
}

function toScore(logits: Float32Array, label: number | undefined): number {
  return label === undefined ? 1 / (1 + Math.exp(-(logits[0] ?? 0))) : (softmax(logits)[label] ?? 0)
}
