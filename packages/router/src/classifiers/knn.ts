import { activateLabels } from '../activation.ts'
import { classifierError } from '../errors.ts'
import type { CallOptions, Embedder } from '../ports.ts'
import type { ResolvedKnn, RouterPolicy } from '../settings.ts'
import { createTrimmer } from '../trim.ts'
import type { Vector } from '../vector/ports.ts'
import { type Classifier, MAX_REPORTED_NEIGHBORS, type Neighbor } from './classification.ts'
import { countVotes } from './vote.ts'

/** Labelled texts that can be searched by vector. */
export interface NeighborSource {
  /** The nearest first. */
  findNeighbors(vector: Vector, options: CallOptions & { readonly count: number }): Promise<readonly Neighbor[]>
  /** Changes with the entries. */
  revision(): number
}

/** Options of {@link createKnnClassifier}. */
export interface KnnClassifierOptions extends ResolvedKnn {
  readonly embedder: Embedder
  readonly source: NeighborSource
  readonly policies: readonly RouterPolicy[]
}

/**
 * Lets the labelled texts nearest to the prompt vote. A label is active from its share of the votes on. No label is
 * active without a neighbour that may vote. Labels that no policy declares are never active.
 */
export function createKnnClassifier(options: KnnClassifierOptions): Classifier {
  const { embedder, source, policies, k, similarityThreshold, voteThreshold } = options
  const labels = new Set(policies.map(({ label }) => label))
  return {
    name: 'knn',
    prepare: embedder.prepare,
    trimmer: createTrimmer({ tokens: embedder.tokens }),
    revision: () => source.revision(),
    async classify(probe, call) {
      const vector = await embedOne(embedder, probe.text, call)
      const neighbors = await source.findNeighbors(vector, { ...call, count: k })
      const labelScores = countVotes(neighbors, { similarityThreshold, labels })
      const active = activateLabels(labelScores, { threshold: voteThreshold, needsOne: false })
      return {
        labels: active,
        score: active.length === 0 ? 0 : (labelScores[0]?.score ?? 0),
        labelScores,
        activationThreshold: voteThreshold,
        nearestSimilarity: neighbors[0]?.similarity,
        neighbors: neighbors.slice(0, MAX_REPORTED_NEIGHBORS),
      }
    },
  }
}

/** The vector of a text. @throws `router_classifier` for an answer that is not one vector of numbers */
export async function embedOne(embedder: Embedder, text: string, call: CallOptions): Promise<Vector> {
  const vectors = await embedder.embed([text], call)
  const [vector] = vectors
  if (vectors.length !== 1 || vector === undefined || !isVector(vector)) {
    throw classifierError('the embedding model gave no usable vector')
  }
  return vector
}

/** Whether all numbers of a vector are finite and one is not zero. */
export function isVector(vector: Vector): boolean {
  let sum = 0
  for (let index = 0; index < vector.length; index++) {
    const value = vector[index]
    if (typeof value !== 'number' || !Number.isFinite(Math.fround(value))) return false
    sum += Math.abs(value)
  }
  return sum > 0
}
