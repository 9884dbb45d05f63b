/**
 * Thresholds that fit labelled texts, and the quality of a router on them.
 *
 * @module
 */

export { type Evaluation, evaluateRouter, type Miss } from './evaluate.ts'
export { fitActivationThreshold, fitKnnThresholds, type KnnThresholds, type ScoredText } from './fit-thresholds.ts'
export type { FitPoint, FitReport } from './grid.ts'
export type { ConfusionCell, GroupCounts, LabelCounts } from './outcome.ts'
export { type EmbeddedText, type EmbeddedTexts, type Expectation, embedLabelledTexts } from './samples.ts'
