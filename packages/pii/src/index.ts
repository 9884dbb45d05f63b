/**
 * Finds private text in requests of language models and decides what becomes of it. Knows no server, no database and no
 * Node: text and bytes in, edits and refusals out.
 *
 * @module
 */

// Filter the body of a request, its texts, or one text.

export { type Analysis, type AnalyzeOptions, analyzeText, type Entity, type Redaction, redactText } from './analyze.ts'
export type { RequestTexts } from './document.ts'
export { type FilteredSegment, type FilterOptions, type FilterOutcome, filterSegments, startFilter } from './filter.ts'
export { type FilterBodyOptions, type FilteredBody, filterBody } from './filter-body.ts'
export { FIXED_MASKS, type MaskWriter, maskText } from './redact.ts'

// The texts of a request's body.

export { collectSegments, type SegmentCollection } from './documents/collect-segments.ts'
export type { DocumentFormat } from './documents/format-shapes.ts'
export type { Rewrite } from './documents/rewrite.ts'
export type { TextSegment } from './documents/segment.ts'
export type { HistoryKind, MediaKind } from './documents/shape.ts'
export type { HistoryReference, MediaPart, ScanRefusal, TokenList } from './documents/walk.ts'

// Reversible redaction: tokens in the request, values back in the reply.

export { createLaneRestorer, type LaneKind, type LaneRestorer, restoreText } from './reversible/lane-restorer.ts'
export type { ReplyFormat } from './reversible/reply-lanes.ts'
export { restoreJsonBody } from './reversible/restore-json.ts'
export { createSseRestorer, type SseRestorer, type SseRestorerOptions } from './reversible/sse-restorer.ts'
export { createTokenMap, type TokenMap, type TokenMapOptions } from './reversible/token-map.ts'

// Detectors.

export { combineDetectors } from './combine-detectors.ts'
export { createDetector, type DetectorOptions } from './create-detector.ts'
export type { Detections, Detector, JudgedDetection, ScanDocument } from './detector.ts'
export type { ChunkSettings } from './ner/chunks.ts'
export { createNerDetector, type NerDetectorOptions } from './ner/ner-detector.ts'
export { createTermMatchers, type TermMatchers } from './ner/protected-terms.ts'
export type { TermMatcher } from './ner/term-matcher.ts'
export { createUnavailableDetector } from './unavailable-detector.ts'

// Patterns.

export { BUILTIN_NAMES } from './pattern/catalogue.ts'
export { CompiledPattern } from './pattern/compiled-pattern.ts'
export {
  createPatternDetector,
  MAX_PATTERNS,
  type PatternDetectorOptions,
  type PatternSettings,
} from './pattern/detector.ts'
export { PatternSyntaxError } from './pattern/errors.ts'
export { type PatternMatch, PatternMatcher, type PatternScan } from './pattern/matcher.ts'

// What is looked behind.

export { createEncodedDetector, type EncodedDetectorOptions } from './encoded/encoded-detector.ts'
export { ENCODINGS, type Encoding } from './encoded/encodings.ts'

// Patterns of large documents, on a thread of its own.

export { offloadPatterns, type PatternOffload } from './offload/offload-patterns.ts'
export type { PackedDetections } from './offload/packed-detections.ts'
export type { PackedDocument } from './offload/packed-document.ts'
export { createPatternScanner, type PatternScannerOptions } from './offload/pattern-scanner.ts'
export { buffersOf, type PatternScanner, type PatternTask } from './offload/port.ts'

// What is found, and what becomes of it.

export { compareActions, isPiiAction, type PiiAction } from './action.ts'
export { type ConvertOptions, convertOffsets, type OffsetEncoding } from './offsets.ts'
export { createPolicy, type Policy, type PolicySettings } from './policy.ts'
export type { CustomPattern, DetectionSettings, NerSettings, PiiSettings } from './settings.ts'
export { type Detection, type DetectionSource, detectionId, type Span } from './span.ts'

// Events of the audit log.

export {
  type AuditContext,
  type AuditSink,
  type Finding,
  type FindingOptions,
  findingEvents,
  type PiiEvent,
  type PiiOrigin,
  recordedFindings,
  refusingEvent,
  unavailableEvent,
  unscannedMediaEvent,
} from './audit.ts'
export { createHashPrefix, type HashPrefix } from './hash-prefix.ts'

// Refusals.

export {
  type DetectorFailure,
  PiiError,
  piiBlocked,
  piiUnavailable,
  piiUnsupportedTransport,
  type RefusalFields,
  type RefusedThing,
} from './errors.ts'

// What the package needs from its user.

export type { Clock, Logger, StopSignal, TermFiles, TokenClassifier, TokenEntity } from './ports.ts'
