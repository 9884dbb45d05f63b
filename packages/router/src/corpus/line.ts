import { isVector } from '../classifiers/knn.ts'
import { MAX_DIMENSION } from '../vector/vector-index.ts'
import type { CorpusEntry } from './entry.ts'

/** An entry as a line of the file holds it. */
export interface StoredEntry extends CorpusEntry {
  readonly vector: Float32Array
  readonly embeddingModel: string
  readonly embeddingFingerprint: string
}

/** Digits that a 32-bit float needs to come back as it was. */
const FLOAT_DIGITS = 9

/** An entry as a line of JSON, without the line end. */
export function formatLine({ text, labels, vector, embeddingModel, embeddingFingerprint }: StoredEntry): string {
  return JSON.stringify({
    text,
    labels,
    vector: Array.from(vector, (value) => Number(value.toPrecision(FLOAT_DIGITS))),
    embedding_model: embeddingModel,
    embedding_fingerprint: embeddingFingerprint,
  })
}

/** The entry of a line, or the problem with it. */
export function parseLine(line: string): { readonly entry: StoredEntry } | { readonly problem: string } {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return { problem: 'is not JSON' }
  }
  if (typeof value !== 'object' || value === null) return { problem: 'is not an object' }
  const { text, labels, vector, embedding_model, embedding_fingerprint } = value as Partial<Record<string, unknown>>
  if (typeof text !== 'string' || text.trim() === '') return { problem: 'has no text' }
  if (!isLabelList(labels)) return { problem: 'has no list of different labels' }
  if (!Array.isArray(vector) || vector.length > MAX_DIMENSION || !isVector(vector)) return { problem: 'has no vector' }
  const entry = {
    text,
    labels,
    vector: Float32Array.from(vector),
    embeddingModel: typeof embedding_model === 'string' ? embedding_model : '',
    embeddingFingerprint: typeof embedding_fingerprint === 'string' ? embedding_fingerprint : '',
  }
  return { entry }
}

function isLabelList(value: unknown): value is readonly string[] {
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((label) => typeof label === 'string' && label.trim() !== '') &&
    new Set(value).size === value.length
  )
}
