/**
 * The texts of a request: splitting and rewriting a body.
 *
 * @module
 */
export type { RequestTexts } from '../document.ts'
export { collectSegments, type SegmentCollection } from './collect-segments.ts'
export type { DocumentFormat, RequestFormat } from './format-shapes.ts'
export type { Rewrite } from './rewrite.ts'
export type { TextSegment } from './segment.ts'
export type { HistoryKind, MediaKind } from './shape.ts'
export type { HistoryReference, MediaPart, ScanRefusal, TokenList } from './walk.ts'
