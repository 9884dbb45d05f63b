import { type LabelScore, measureGap } from './activation.ts'
import type { Classification, Neighbor } from './classifiers/classification.ts'
import type { ClassifierName } from './settings.ts'
import type { FiredRule } from './signals/rules.ts'
import type { Selected } from './signals/selection.ts'

/** The reason for the serving model. */
export type DecisionReason =
  /** A candidate covers the active labels. */
  | 'covered'
  /** A rule. */
  | 'rule'
  /** The conversation stays on its model. */
  | 'sticky'
  /** The one that `select` chose among the candidates that fit, or the first one where no classifier was asked. */
  | 'selected'
  /** The fallback: no label is active. */
  | 'no-label'
  /** The fallback: no candidate covers the active labels. */
  | 'not-covered'
  /** The fallback: the classifier failed. */
  | 'classifier-failed'
  /** The fallback: no classifier could be built. */
  | 'no-classifier'

/** The model that serves a request, and the reason. Holds nothing of the prompt. */
export interface RouterDecision {
  readonly servedModel: string
  readonly usedFallback: boolean
  readonly reason: DecisionReason
  /** `fallback` where no classifier could be built, `none` where none was asked. */
  readonly classifier: ClassifierName | 'fallback' | 'none'
  /** The active labels, joined by commas; `fallback` where the fallback serves. */
  readonly label: string
  readonly labels: readonly string[]
  /** Score of the top label; 0 where the classifier failed. */
  readonly score: number
  /** The score of the top label minus that of the runner-up; absent for fewer than two labels. */
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
  /** The rules that fired, in their order; absent where none did. */
  readonly rules?: readonly FiredRule[] | undefined
  /** The choice among candidates that fit; absent where `select` did not decide. */
  readonly selected?: Selected | undefined
}

/** The chosen model, and the reason. */
export interface Choice {
  readonly servedModel: string
  readonly usedFallback: boolean
  readonly reason: DecisionReason
  readonly label: string
}

/** The circumstances of a decision. */
export interface DecisionCircumstances {
  readonly classifier: RouterDecision['classifier']
  /** Undefined where nothing was classified. */
  readonly found: Classification | undefined
  readonly latencyMs: number
  readonly rules?: readonly FiredRule[] | undefined
  readonly selected?: Selected | undefined
}

/** A decision as one object, written out: it is made for each request, and spreading others into it takes longer. */
export function describeDecision(
  choice: Choice,
  { classifier, found, latencyMs, rules, selected }: DecisionCircumstances,
): RouterDecision {
  const { servedModel, usedFallback, reason, label } = choice
  return {
    servedModel,
    usedFallback,
    reason,
    classifier,
    label,
    labels: found?.labels ?? [],
    score: found?.score ?? 0,
    gap: found === undefined ? undefined : measureGap(found.labelScores),
    labelScores: found === undefined || found.labelScores.length === 0 ? undefined : found.labelScores,
    activationThreshold: found?.activationThreshold,
    cached: found?.cached ?? false,
    cacheSimilarity: found?.cacheSimilarity,
    nearestSimilarity: found?.nearestSimilarity,
    neighbors: found?.neighbors === undefined || found.neighbors.length === 0 ? undefined : found.neighbors,
    latencyMs,
    rules: rules === undefined || rules.length === 0 ? undefined : rules,
    selected,
  }
}
