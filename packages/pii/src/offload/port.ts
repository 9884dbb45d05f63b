import type { ScanDocument } from '../detector.ts'
import type { DetectionSettings } from '../settings.ts'
import type { PackedDetections } from './packed-detections.ts'

/** A document and what to look for in it: plain data that can be sent to another thread. */
export interface PatternTask {
  /** Of which patterns and their actions count. */
  readonly settings: DetectionSettings
  readonly document: ScanDocument
}

/** Looks for patterns, wherever that happens. */
export interface PatternScanner {
  /** @throws whatever went wrong: the detector then failed, and so does the request */
  scan(task: PatternTask, options: { readonly signal: AbortSignal }): Promise<PackedDetections>
}
