import type { DetectionSettings } from '../settings.ts'
import type { PackedDetections } from './packed-detections.ts'
import type { PackedDocument } from './packed-document.ts'

/** A document and what to look for in it: plain data that can be sent to another thread. */
export interface PatternTask {
  /** Of which patterns and their actions count. */
  readonly settings: DetectionSettings
  /** Made for this task: its arrays may be given away. */
  readonly document: PackedDocument
}

/** Looks for patterns, wherever that happens. */
export interface PatternScanner {
  /** @throws whatever went wrong: the detector then failed, and so does the request */
  scan(task: PatternTask, options: { readonly signal: AbortSignal }): Promise<PackedDetections>
}

/** The buffers of a task or of what was found, so that sending it (`postMessage`) copies none of them. */
export function buffersOf(packed: PatternTask | PackedDetections): ArrayBuffer[] {
  if ('places' in packed) return [packed.places.buffer]
  const { text, segments, messages } = packed.document
  return [...text, segments, messages].map(({ buffer }) => buffer)
}
