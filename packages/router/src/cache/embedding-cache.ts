import type { LabelScore } from '../activation.ts'
import type { Classification, Classifier } from '../classifiers/classification.ts'
import { embedOne } from '../classifiers/knn.ts'
import type { CallOptions, Clock, Embedder } from '../ports.ts'
import type { Probe } from '../probe/probe.ts'
import { createTrimmer } from '../trim.ts'
import type { FoundEntry, Vector, VectorIndex } from '../vector/ports.ts'
import { waitWithLimit } from '../wait.ts'
import { createLruCache } from './lru.ts'
import { createPreparation } from './preparation.ts'

/** Counts of an embedding cache since it was built. */
export interface EmbeddingCacheStats {
  readonly hits: number
  readonly misses: number
  /** Misses with an entry near the prompt, but not near enough. */
  readonly nearMisses: number
  /** Decisions that were too uncertain to be kept. */
  readonly lowConfidence: number
  readonly embedderErrors: number
  readonly storeErrors: number
  /** Look-ups by the similarity of the nearest entry, in tenths from 0 to 1. */
  readonly similarityBuckets: readonly number[]
  readonly entries: number
}

/** Options of {@link createEmbeddingCache}. */
export interface EmbeddingCacheOptions {
  readonly embedder: Embedder
  readonly index: VectorIndex
  readonly similarityThreshold: number
  readonly confidenceThreshold: number
  /** Marks the entries of this cache: an entry of another owner is passed over. */
  readonly owner: string
  /** The labels that may be active. */
  readonly labels: ReadonlySet<string>
  readonly maxEntries: number
  /** Longest time of a call of embedder or index, milliseconds. An embedder that is loading is waited for as long. */
  readonly timeoutMs: number
  readonly clock: Clock
}

/** A classifier with a cache before it. */
export interface CachedClassifier extends Classifier {
  readStats(): EmbeddingCacheStats
}

const BUCKETS = 10

/**
 * A classifier that serves the decision of a prompt that means the same. Embedder and index only help: where one fails
 * or takes too long, the classifier runs as if there were no cache. While the embedder is being loaded, prompts are
 * misses.
 */
export function createEmbeddingCache(classifier: Classifier, options: EmbeddingCacheOptions): CachedClassifier {
  const { embedder, index, similarityThreshold, confidenceThreshold, owner, labels, maxEntries, timeoutMs, clock } =
    options
  const trimmer = createTrimmer({ tokens: embedder.tokens })
  const preparation = createPreparation(embedder, { timeoutMs, clock })
  const counts = { hits: 0, misses: 0, nearMisses: 0, lowConfidence: 0, embedderErrors: 0, storeErrors: 0 }
  const buckets = new Array<number>(BUCKETS).fill(0)
  const evicted: Vector[] = []
  const recent = createLruCache<Vector>({ maxEntries, onEvict: (vector) => evicted.push(vector) })
  let nextId = 0

  /** Runs a call of the cache; undefined where it failed, unless the caller has gone. */
  const tryCall = async <T>(
    counter: 'embedderErrors' | 'storeErrors',
    outer: CallOptions,
    call: (options: CallOptions) => Promise<T>,
  ): Promise<T | undefined> => {
    try {
      return await waitWithLimit(call, { ...outer, timeoutMs, clock, what: 'the embedding cache' })
    } catch (error) {
      if (outer.signal.aborted) throw error
      counts[counter]++
      return undefined
    }
  }

  /** The vector of a probe; undefined where the embedder does not answer in time. */
  const embed = async (probe: Probe, outer: CallOptions): Promise<Vector | undefined> => {
    const state = await preparation.wait(outer)
    if (state === 'loading') counts.misses++
    if (state === 'failed') counts.embedderErrors++
    if (state !== 'ready') return undefined
    return await tryCall('embedderErrors', outer, async (call) => {
      const trimmed = trimmer.isNeeded(probe) ? await trimmer.trim(probe, call) : probe
      return await embedOne(embedder, trimmed.text, call)
    })
  }

  /** The decision under the nearest entry, where it is near enough. */
  const look = (nearest: FoundEntry | undefined): Classification | undefined => {
    if (nearest === undefined) return undefined
    const { similarity, value } = nearest
    const bucket = Math.max(0, Math.min(BUCKETS - 1, Math.floor(similarity * BUCKETS)))
    buckets[bucket] = (buckets[bucket] ?? 0) + 1
    if (!(similarity >= similarityThreshold)) {
      counts.nearMisses++
      return undefined
    }
    const kept = readKept(value)
    if (kept === undefined) counts.storeErrors++
    if (kept?.owner !== owner || !kept.classification.labels.every((label) => labels.has(label))) return undefined
    recent.get(kept.id)
    return { ...kept.classification, cached: true, cacheSimilarity: similarity }
  }

  const keep = (vector: Vector, classification: Classification, outer: CallOptions) =>
    tryCall('storeErrors', outer, async (call) => {
      const id = `${nextId++}`
      recent.set(id, vector)
      const old = evicted.splice(0)
      if (old.length > 0) await index.delete(old, call)
      await index.set([{ key: vector, value: writeKept({ id, owner, classification }) }], call)
    })

  return {
    ...classifier,
    readStats: () => ({ ...counts, similarityBuckets: [...buckets], entries: recent.size }),
    async classify(probe, outer) {
      const vector = await embed(probe, outer)
      if (vector === undefined) return await classifier.classify(probe, outer)
      const found = await tryCall('storeErrors', outer, (call) => index.find(vector, { count: 1, ...call }))
      const kept = look(found?.[0])
      if (kept !== undefined) {
        counts.hits++
        return kept
      }
      counts.misses++
      const classification = await classifier.classify(probe, outer)
      if (classification.score >= confidenceThreshold) await keep(vector, classification, outer)
      else counts.lowConfidence++
      return classification
    },
  }
}

/** A decision as the index keeps it. */
interface Kept {
  readonly id: string
  readonly owner: string
  readonly classification: Classification
}

function writeKept(kept: Kept): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(kept))
}

/** Undefined for bytes that this cache did not write. */
function readKept(value: Uint8Array): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(value))
    return isKept(kept) ? kept : undefined
  } catch {
    return undefined
  }
}

function isKept(value: unknown): value is Kept {
  if (!isRecord(value) || typeof value.id !== 'string' || typeof value.owner !== 'string') return false
  const { classification } = value
  if (!isRecord(classification)) return false
  const { labels, score, labelScores, activationThreshold } = classification
  return (
    Array.isArray(labels) &&
    labels.every((label) => typeof label === 'string') &&
    Number.isFinite(score) &&
    Number.isFinite(activationThreshold) &&
    Array.isArray(labelScores) &&
    labelScores.every(isLabelScore)
  )
}

function isLabelScore(value: unknown): value is LabelScore {
  return isRecord(value) && typeof value.label === 'string' && Number.isFinite(value.score)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
