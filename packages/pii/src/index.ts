/**
 * Finds private text in requests of language models and decides what becomes of it. Knows no server, no database and no
 * Node: text and bytes in, edits and refusals out.
 *
 * @module
 */
export { compareActions, type PiiAction } from './action.ts'
export type { Detector, JudgedDetection, ScanDocument } from './detector.ts'
export type { TermFiles, TokenClassifier, TokenEntity } from './ports.ts'
export { type Detection, type DetectionSource, detectionId, type Span } from './span.ts'
