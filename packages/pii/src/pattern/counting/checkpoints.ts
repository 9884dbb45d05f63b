import type { SourceText } from '../source-text.ts'

/** Distances of the kept positions, in code units: few of a long text, more of one part of it, and so on. */
export const SPACINGS = [1 << 17, 1 << 10, 16] as const

/** Distance of checkpoints. */
const CHECKPOINT_UNITS = SPACINGS[2]

/** The first checkpoint from an offset on. */
export function findCheckpoint(text: SourceText, at: number): number {
  const number = Math.ceil(at / CHECKPOINT_UNITS)
  const place = toPlace(text, number, CHECKPOINT_UNITS)
  return place < at ? toPlace(text, number + 1, CHECKPOINT_UNITS) : place
}

/** Whether an offset before a whole character is one of a spacing's positions. */
export function isPlace(text: SourceText, at: number, spacing: number): boolean {
  const rest = at % spacing
  return rest === 0 || (rest === spacing - 1 && text.boundaryAt(at + 1) === at)
}

/** The position of a spacing by its number. Positions lie before whole characters. */
export function toPlace(text: SourceText, number: number, spacing: number): number {
  return text.boundaryAt(Math.min(number * spacing, text.length))
}

/** The number of a spacing's last position up to an offset. */
export function toPlaceNumber(text: SourceText, at: number, spacing: number): number {
  const number = Math.floor(at / spacing)
  return at >= toPlace(text, number + 1, spacing) && at < text.length ? number + 1 : number
}
