/**
 * Detectors: recognisers, patterns, encoded text, and combinations.
 *
 * @module
 */
export { combineDetectors } from './combine-detectors.ts'
export { createDetector, type DetectorOptions } from './create-detector.ts'
export type { Detections, Detector, JudgedDetection, ScanDocument } from './detector.ts'
export { createEncodedDetector, type EncodedDetectorOptions } from './encoded/encoded-detector.ts'
export { ENCODINGS, type Encoding } from './encoded/encodings.ts'
export type { ChunkSettings } from './ner/chunks.ts'
export { createNerDetector, type NerDetectorOptions } from './ner/ner-detector.ts'
export { createTermMatchers, type TermMatchers } from './ner/protected-terms.ts'
export type { TermMatcher } from './ner/term-matcher.ts'
export { createUnavailableDetector } from './unavailable-detector.ts'
