import { SvcError } from '@svc/errors'
import { convertOffsets } from '../offsets.ts'
import type { TokenClassifier, TokenEntity } from '../ports.ts'
import { type Chunk, type ChunkHit, type ChunkSettings, cutChunks, uniteChunks } from './chunks.ts'

/** Options of classifying a text. */
export interface ClassifyOptions {
  readonly minScore: number
  readonly chunking: ChunkSettings
  /** Most chunks with the recogniser at once. */
  readonly concurrency: number
  readonly signal: AbortSignal
  readonly correlationId?: string | undefined
  /** Called after each chunk. */
  readonly onChunk?: (() => void) | undefined
}

/**
 * Runs a recogniser on a text of any length; returns detections of any score with offsets in code units.
 *
 * @throws SvcError `pii_bad_span`, kind `internal`, for an entity out of range, empty, without a group, with an edge
 *   inside a character or a score outside of 0 to 1; any error of the recogniser
 */
export async function classifyText(
  classifier: TokenClassifier,
  text: string,
  { minScore, chunking, concurrency, signal, correlationId, onChunk }: ClassifyOptions,
): Promise<ChunkHit[]> {
  const chunks = cutChunks(text, chunking)
  const found: ChunkHit[][] = []
  const queue = chunks.entries()
  const work = async () => {
    for (const [index, chunk] of queue) {
      signal.throwIfAborted()
      const piece = text.slice(chunk.start, chunk.end)
      found[index] = toHits(await classifier.classify(piece, { minScore, signal, correlationId }), piece, chunk)
      onChunk?.()
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, chunks.length) }, work))
  return uniteChunks(chunks, found)
}

/** The entities of a chunk as spans of the whole text. */
function toHits(entities: readonly TokenEntity[], text: string, { start: base }: Chunk): ChunkHit[] {
  for (const { start, end, group, score } of entities) {
    const isWhole = Number.isInteger(start) && Number.isInteger(end)
    if (!isWhole || start < 0 || start >= end || group === '' || !(score >= 0 && score <= 1)) throw badSpan()
  }
  const bytes = entities.flatMap(({ start, end }) => [start, end])
  const units = toUnits(text, bytes)
  return entities.map(({ group, score }, index) => {
    return { start: base + (units[2 * index] ?? 0), end: base + (units[2 * index + 1] ?? 0), group, score }
  })
}

function toUnits(text: string, bytes: readonly number[]): number[] {
  try {
    return convertOffsets(text, bytes, { from: 'utf8', to: 'utf16' })
  } catch (error) {
    throw badSpan(error)
  }
}

function badSpan(cause?: unknown): SvcError {
  return new SvcError('internal', 'a recogniser reported a span that cannot be', { code: 'pii_bad_span', cause })
}
