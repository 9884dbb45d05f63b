/**
 * Finds private text in requests of language models and applies policies to it. Independent of servers, databases and
 * Node: text and bytes in, edits and refusals out. Detectors, patterns, audit events, refusals and restorers are
 * entries of their own.
 *
 * @module
 */

// Redact one text with defaults; filter the body of a request, its texts, or one text.

export { type Analysis, type AnalyzeOptions, analyzeText, type Entity, type Redaction, redactText } from './analyze.ts'
export { type FilteredSegment, type FilterOptions, type FilterOutcome, filterSegments, startFilter } from './filter.ts'
export { type FilterBodyOptions, type FilteredBody, filterBody } from './filter-body.ts'
export { FIXED_MASKS, type MaskWriter, maskText } from './redact.ts'
export { type RedactOptions, redact } from './redact-one.ts'

// Findings and their consequences.

export { compareActions, isPiiAction, type PiiAction } from './action.ts'
export { convertOffsets, type OffsetEncoding } from './offsets.ts'
export { createPolicy, type Policy, type PolicySettings } from './policy.ts'
export type { CustomPattern, DetectionSettings, NerSettings, PiiSettings } from './settings.ts'
export { type Detection, type Span, toDetectionId } from './span.ts'

// Ports of the package.

export type { Clock, Logger, StopSignal, TermFiles, TokenClassifier, TokenEntity } from './ports.ts'
