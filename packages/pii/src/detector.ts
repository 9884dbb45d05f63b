import type { PiiAction } from './action.ts'
import type { WriteFake } from './fakes/fakes.ts'
import type { Detection, Span } from './span.ts'

/** The text of a request as detectors see it: its segments joined by blank lines, in order, and well-formed. */
export interface ScanDocument {
  readonly text: string
  /** Ranges of the segments in the text; ascending, never empty, with a separator between two of them. */
  readonly segments: readonly Span[]
  /**
   * Runs of two or more segments that are parts of one message: each holds the index of its first segment and the index
   * after its last. Patterns are also looked for in such parts joined without a separator.
   */
  readonly messages: readonly Span[]
}

/** A detection with the action of the detector's own policy for its group. */
export interface JudgedDetection extends Detection {
  readonly action: PiiAction
  /**
   * Rank of a built-in pattern in its catalogue, the more specific shape first. Of overlapping detections that are
   * equally strong and long, the lower rank names the union. @default after every built-in
   */
  readonly rank?: number | undefined
  /** Writes the replacement of the masked value. @default the fixed text */
  readonly writeMask?: ((value: string) => string) | undefined
  /** Invents a replacement, which is restored in replies as a token is. @default none is invented */
  readonly writeFake?: WriteFake | undefined
}

/** Circumstances of a scan. */
export interface DetectOptions {
  /** Created on first read. */
  readonly signal: AbortSignal
  /** The request that the text is of, for records of recognisers. */
  readonly correlationId?: string | undefined
  /**
   * Tells that a step of a longer scan has ended, as a chunk of the text. The time limit holds for each step then, and a
   * text does not fail by its length alone.
   */
  onStep?(): void
}

/** Finds private text. One detector is one detector model with its policy (§2.11). */
export interface Detector {
  /** The name of the detector model. */
  readonly name: string
  /**
   * Finds detections in the document's text, in any order; they may overlap and may cross segments. A synchronous
   * detector returns them at once, which saves a small request a promise, a time limit and a signal.
   *
   * @throws any error: a failing detector makes the request fail, never pass
   */
  detect(document: ScanDocument, options: DetectOptions): Detections | Promise<Detections>
}

/** Result of a detector. */
export type Detections = readonly JudgedDetection[]

/** A detection whose replacement is the fixed text: of a piece of a finding, or of several findings together. */
export function withoutOperator(detection: JudgedDetection): JudgedDetection {
  if (detection.writeMask === undefined && detection.writeFake === undefined) return detection
  const { writeMask: _, writeFake: __, ...rest } = detection
  return rest
}
