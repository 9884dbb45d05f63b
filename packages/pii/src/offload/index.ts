/**
 * Patterns of large documents, on another thread.
 *
 * @module
 */
export { offloadPatterns, type PatternOffload } from './offload-patterns.ts'
export type { PackedDetections } from './packed-detections.ts'
export type { PackedDocument } from './packed-document.ts'
export { createPatternScanner, type PatternScannerOptions } from './pattern-scanner.ts'
export { listBuffers, type PatternScanner, type PatternTask } from './port.ts'
