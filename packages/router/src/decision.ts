import { type LabelScore, measureGap } from './activation.ts'
import type { Classification, Neighbor } from './classifiers/classification.ts'
import type { ClassifierName } from './settings.ts'

/** Why the model serves that does. */
export type DecisionReason =
  /** A candidate covers the active labels. */
  | 'covered'
  /** The fallback: no label is active. */
  | 'no-label'
  /** The fallback: no candidate covers the active labels. */
  | 'not-covered'
  /** The fallback: the classifier failed. */
  | 'classifier-failed'
  /** The fallback: no classifier could be built. */
  | 'no-classifier'

/** Which model serves a request, and why. Holds nothing of the prompt. */
export interface RouterDecision {
  readonly servedModel: string
  readonly usedFallback: boolean
  readonly reason: DecisionReason
  /** `fallback` where no classifier could be built. */
  readonly classifier: ClassifierName | 'fallback'
  /** The active labels, joined by commas; `fallback` where the fallback serves. */
  readonly label: string
  readonly labels: readonly string[]
  /** Of the top label; 0 where the classifier failed. */
  readonly score: number
  /** How far the top label is above the runner-up; absent for fewer than two. */
  readonly gap?: number | undefined
  /** Every label that was judged. */
  readonly labelScores?: readonly LabelScore[] | undefined
  readonly activationThreshold?: number | undefined
  readonly cached: boolean
  readonly cacheSimilarity?: number | undefined
  readonly nearestSimilarity?: number | undefined
  readonly neighbors?: readonly Neighbor[] | undefined
  /** From the probe to the decision, in milliseconds. */
  readonly latencyMs: number
}

/** What a decision takes from a classification. */
export function describeClassification(
  found: Classification,
): Omit<RouterDecision, 'servedModel' | 'usedFallback' | 'reason' | 'classifier' | 'label' | 'latencyMs'> {
  const { labels, score, labelScores, activationThreshold, cached = false, cacheSimilarity } = found
  const { nearestSimilarity, neighbors } = found
  const gap = measureGap(labelScores)
  return {
    labels,
    score,
    ...(gap === undefined ? {} : { gap }),
    ...(labelScores.length === 0 ? {} : { labelScores }),
    activationThreshold,
    cached,
    ...(cacheSimilarity === undefined ? {} : { cacheSimilarity }),
    ...(nearestSimilarity === undefined ? {} : { nearestSimilarity }),
    ...(neighbors === undefined || neighbors.length === 0 ? {} : { neighbors }),
  }
}
