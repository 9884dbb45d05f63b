import type { SourceText } from './source-text.ts'

/** Distance of checkpoints, in code units. */
const CHECKPOINT_UNITS = 16

/** The first checkpoint from an offset on. Checkpoints lie in front of whole characters. */
export function checkpointFrom(text: SourceText, at: number): number {
  const next = Math.ceil(at / CHECKPOINT_UNITS) * CHECKPOINT_UNITS
  const place = text.boundaryAt(next)
  return place < at ? text.boundaryAt(next + CHECKPOINT_UNITS) : place
}

/** Whether an offset in front of a whole character is a checkpoint. */
export function isCheckpoint(text: SourceText, at: number): boolean {
  const rest = at % CHECKPOINT_UNITS
  return rest === 0 || (rest === CHECKPOINT_UNITS - 1 && text.boundaryAt(at + 1) === at)
}
