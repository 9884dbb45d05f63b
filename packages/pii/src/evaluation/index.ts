/**
 * Evaluation of detectors on labelled texts: precision, recall, F2 and coverage by group, with proposals.
 *
 * @module
 */
export {
  type DetectorEvaluation,
  type EvaluationOptions,
  type Example,
  evaluateDetectors,
  type FoundEntity,
  type GroupEvaluation,
  type LineProblem,
  type MacroAverage,
} from './evaluate.ts'
