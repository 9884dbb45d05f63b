import type { SourceText } from '../source-text.ts'

/** Distances of places that are kept, in code units: of those of a long text few, of one part of it more, and so on. */
export const SPACINGS = [1 << 17, 1 << 10, 16] as const

/** Distance of checkpoints. */
const CHECKPOINT_UNITS = SPACINGS[2]

/** The first checkpoint from an offset on. */
export function checkpointFrom(text: SourceText, at: number): number {
  const number = Math.ceil(at / CHECKPOINT_UNITS)
  const place = placeOf(text, number, CHECKPOINT_UNITS)
  return place < at ? placeOf(text, number + 1, CHECKPOINT_UNITS) : place
}

/** Whether an offset in front of a whole character is one of the places of a spacing. */
export function isPlace(text: SourceText, at: number, spacing: number): boolean {
  const rest = at % spacing
  return rest === 0 || (rest === spacing - 1 && text.boundaryAt(at + 1) === at)
}

/** The place of a spacing by its number. Places lie in front of whole characters. */
export function placeOf(text: SourceText, number: number, spacing: number): number {
  return text.boundaryAt(Math.min(number * spacing, text.length))
}

/** The number of the last place of a spacing up to an offset. */
export function placeNumber(text: SourceText, at: number, spacing: number): number {
  const number = Math.floor(at / spacing)
  return at >= placeOf(text, number + 1, spacing) && at < text.length ? number + 1 : number
}
