import type { LabelScore } from '../activation.ts'
import type { CallOptions } from '../ports.ts'
import type { Probe } from '../probe/probe.ts'
import type { ClassifierName } from '../settings.ts'
import type { Trimmer } from '../trim.ts'

/** A labelled text near a prompt. */
export interface Neighbor {
  /** Tells its text from others without holding it; absent for an entry that cannot be read. */
  readonly id?: string | undefined
  /** Cosine, -1..1. */
  readonly similarity: number
  readonly labels?: readonly string[] | undefined
}

/** Most neighbours that are kept with a decision. */
export const MAX_REPORTED_NEIGHBORS = 32

/** The labels that a classifier finds in a prompt, with their scores. */
export interface Classification {
  /** The active labels. */
  readonly labels: readonly string[]
  /** Score of the top label. */
  readonly score: number
  /** Every label that the classifier judged. */
  readonly labelScores: readonly LabelScore[]
  readonly activationThreshold: number
  /** Only of `knn`: the cosine of the nearest neighbour, voting or not. */
  readonly nearestSimilarity?: number | undefined
  /** Only of `knn`: the neighbours, the nearest first; at most {@link MAX_REPORTED_NEIGHBORS}. */
  readonly neighbors?: readonly Neighbor[] | undefined
  /** Whether the labels were found for an earlier prompt. */
  readonly cached?: boolean | undefined
  /** The cosine of this prompt and the earlier one, where they differ. */
  readonly cacheSimilarity?: number | undefined
}

/** Finds the labels of a prompt. */
export interface Classifier {
  readonly name: ClassifierName
  /** @throws any error, also the signal's reason */
  classify(probe: Probe, options: CallOptions): Promise<Classification>
  /** Waits for the model. @default it can answer at once */
  readonly prepare?: ((options: CallOptions) => Promise<void>) | undefined
  /** Cuts probes to what the classifier reads. @default probes stay as they are */
  readonly trimmer?: Trimmer | undefined
  /** Changes when equal probes may be classified anew. @default never */
  revision?(): number
}
