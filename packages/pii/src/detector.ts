import type { PiiAction } from './action.ts'
import type { Detection, Span } from './span.ts'

/** The text of a request as detectors see it: its segments joined by blank lines, in order, and well-formed. */
export interface ScanDocument {
  readonly text: string
  /** Where each segment lies in the text; ascending, never empty, with a separator between two of them. */
  readonly segments: readonly Span[]
  /**
   * Runs of two or more segments that are parts of one message: each holds the index of its first segment and the index
   * after its last. Patterns are also looked for in such parts joined without a separator.
   */
  readonly messages: readonly Span[]
}

/** A detection and what the detector's own policy says of its group. */
export interface JudgedDetection extends Detection {
  readonly action: PiiAction
  /**
   * The place of a built-in pattern in its catalogue, the more specific shape first: of overlapping detections that are
   * equally strong and long, the lower names the union. @default after every built-in
   */
  readonly rank?: number | undefined
}

/** Finds private text. One detector is one detector model with its policy (§2.11). */
export interface Detector {
  /** The name of the detector model. */
  readonly name: string
  /**
   * Detections in the document's text, in any order; they may overlap and may cross segments. A detector that has nothing
   * to wait for gives them at once, which costs a small request less than a promise, a limit of time and a signal.
   *
   * @param options.signal made when it is first read
   * @throws whatever went wrong: a detector that fails makes the request fail, never pass
   */
  detect(document: ScanDocument, options: { readonly signal: AbortSignal }): Detections | Promise<Detections>
}

/** What a detector found. */
export type Detections = readonly JudgedDetection[]
