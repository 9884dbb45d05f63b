import type { DetectionSettings } from '../settings.ts'
import type { PackedDetections } from './packed-detections.ts'
import type { PackedDocument } from './packed-document.ts'

/** A document and the patterns to search: plain data that can be sent to another thread. */
export interface PatternTask {
  /** Only patterns and their actions are used. */
  readonly settings: DetectionSettings
  /** Created for this task: its arrays may be transferred. */
  readonly document: PackedDocument
}

/** Scans for patterns at any place, such as another thread. */
export interface PatternScanner {
  /** @throws any error: the detector then fails, and so does the request */
  scan(task: PatternTask, options: { readonly signal: AbortSignal }): Promise<PackedDetections>
}

/** The buffers of a task or a result, so that sending it (`postMessage`) copies none of them. */
export function listBuffers(packed: PatternTask | PackedDetections): ArrayBuffer[] {
  if ('places' in packed) return [packed.places.buffer]
  const { text, segments, messages } = packed.document
  return [...text, segments, messages].map(({ buffer }) => buffer)
}
