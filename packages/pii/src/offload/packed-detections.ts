import { runInSlices, type SliceOptions } from '@svc/json'
import type { JudgedDetection } from '../detector.ts'
import { PiiError } from '../errors.ts'

/** All facts of a detection except its range. */
type DetectionKind = Omit<JudgedDetection, 'start' | 'end'>

/** Detections as two values that threads transfer without a copy, for any number. */
export interface PackedDetections {
  /** Each kind once. */
  readonly kinds: readonly DetectionKind[]
  /** Start, end and index in {@link PackedDetections.kinds}, for one detection after the other. */
  readonly places: Uint32Array<ArrayBuffer>
}

const FIELDS = 3
/** Between two checks of the time. */
const DETECTIONS_PER_STEP = 2000

/** Packs detections, in their order. */
export function packDetections(detections: readonly JudgedDetection[]): PackedDetections {
  const kinds: DetectionKind[] = []
  const places = new Uint32Array(detections.length * FIELDS)
  let at = 0
  for (const detection of detections) {
    let place = kinds.findIndex((kind) => isOfKind(detection, kind))
    if (place === -1) {
      const { start, end, ...kind } = detection
      place = kinds.push(kind) - 1
    }
    places[at++] = detection.start
    places[at++] = detection.end
    places[at++] = place
  }
  return { kinds, places }
}

function isOfKind(detection: JudgedDetection, { source, group, action, score, rank, checked }: DetectionKind): boolean {
  return (
    detection.group === group &&
    detection.rank === rank &&
    detection.checked === checked &&
    detection.action === action &&
    detection.score === score &&
    detection.source === source
  )
}

/**
 * Unpacks detections, in their order; yields to other work meanwhile.
 *
 * @throws PiiError `pii_bad_span`, kind `internal`, for an unknown kind; the signal's reason
 */
export async function unpackDetections(
  { kinds, places }: PackedDetections,
  options: SliceOptions,
): Promise<JudgedDetection[]> {
  const detections: JudgedDetection[] = []
  await runInSlices(() => {
    const last = Math.min(places.length, (detections.length + DETECTIONS_PER_STEP) * FIELDS)
    for (let at = detections.length * FIELDS; at < last; at += FIELDS) {
      const kind = kinds[places[at + 2] ?? 0]
      if (kind === undefined) throw new PiiError('internal', 'a detection is of no kind', { code: 'pii_bad_span' })
      const { group, source, score, action, rank, checked } = kind
      // Written out: a spread takes many times as long, and there may be a million of them.
      const [start = 0, end = 0] = [places[at], places[at + 1]]
      if (checked === undefined) detections.push({ start, end, group, source, score, action, rank })
      else detections.push({ start, end, group, source, score, action, rank, checked })
    }
    return last === places.length
  }, options)
  return detections
}
