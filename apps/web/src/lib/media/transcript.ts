import type { components } from '../schema.gen.ts'

/** A transcript with its segments and words. Times are seconds from the start of the recording. */
export type Transcript = components['schemas']['VerboseTranscription']
/** A word of a transcript. */
export type Word = components['schemas']['TranscriptionWord']
type Segment = Pick<components['schemas']['TranscriptionSegment'], 'start' | 'end' | 'text' | 'speaker'>

/** A part of a transcript that is shown as one line. */
export interface Line {
  readonly start: number
  readonly end: number
  readonly text: string
  /** Empty where the model tells no speakers apart. */
  readonly speaker: string
  readonly words: readonly Word[]
}

/** Words may begin this much before their segment, in seconds: models round both. */
const ROUNDING = 0.05

/** The lines of a transcript with the words of each. A transcript without segments is one line. */
export function toLines({
  segments,
  words = [],
  text,
  duration,
}: Pick<Transcript, 'segments' | 'words' | 'text' | 'duration'>): Line[] {
  const parts: readonly (Segment & { readonly words?: readonly Word[] | undefined })[] =
    segments.length > 0 ? segments : text.trim() === '' ? [] : [{ start: 0, end: duration, text }]
  let next = 0
  return parts.map(({ start, end, text: said, speaker = '', words: own }, index) => {
    if (own !== undefined && own.length > 0) return { start, end, text: said.trim(), speaker, words: own }
    const following = parts[index + 1]?.start ?? Number.POSITIVE_INFINITY
    const first = next
    while (next < words.length && (words[next]?.start ?? 0) + ROUNDING < following) next += 1
    return { start, end, text: said.trim(), speaker, words: words.slice(first, next) }
  })
}

/**
 * Finds the last entry that begins at or before a time.
 *
 * @param entries in the order of their times
 * @returns -1 before the first one
 */
export function findAt(entries: readonly { readonly start: number }[], seconds: number): number {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((entries[middle]?.start ?? 0) <= seconds) low = middle + 1
    else high = middle
  }
  return low - 1
}

/** A stretch of a line: a word with its place, or the text between words. */
export interface Piece {
  readonly text: string
  /** Undefined between words. */
  readonly start?: number | undefined
}

/**
 * Finds the words of a line in its text, so that signs and spaces stay as the model wrote them: some languages have none
 * between words. Where the text lacks a word, the words alone are given.
 */
export function toPieces({ text, words }: Pick<Line, 'text' | 'words'>): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { word, start } of words) {
    const said = word.trim()
    const at = text.indexOf(said, from)
    if (said === '' || at < 0)
      return words.flatMap((each) => [{ text: each.word.trim(), start: each.start }, { text: ' ' }])
    if (at > from) pieces.push({ text: text.slice(from, at) })
    pieces.push({ text: said, start })
    from = at + said.length
  }
  return from < text.length ? [...pieces, { text: text.slice(from) }] : pieces
}
