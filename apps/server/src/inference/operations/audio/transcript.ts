import type { TranscriptResult as BackendTranscript } from '@svc/backend-client/proto'

/** A word, with its place in seconds. */
export interface TranscriptWord {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** A part of a transcript, with its place in seconds. */
export interface TranscriptSegment extends TranscriptWord {
  readonly id: number
  readonly tokens: readonly number[]
  /** Empty when speakers are not told apart. */
  readonly speaker: string
  readonly words: readonly TranscriptWord[]
}

/** The text of a recording. */
export interface Transcript {
  readonly text: string
  /** As the backend names it; empty when it does not say. */
  readonly language: string
  /** Seconds; 0 when the backend gives neither them nor a segment. */
  readonly duration: number
  readonly segments: readonly TranscriptSegment[]
}

const NANOSECONDS = 1_000_000_000

/** Gives seconds that are finite and not negative. */
export const toSeconds = (seconds: number): number => (Number.isFinite(seconds) && seconds > 0 ? seconds : 0)

const fromNanoseconds = (time: bigint): number => toSeconds(Number(time) / NANOSECONDS)

function toPlace({ start, end }: { readonly start: bigint; readonly end: bigint }) {
  const from = fromNanoseconds(start)
  return { start: from, end: Math.max(from, fromNanoseconds(end)) }
}

/**
 * Converts the transcript of a backend, whose times are nanoseconds.
 *
 * @param heard the text of a stream, for backends whose last message has none
 */
export function toTranscript(given: BackendTranscript, heard = ''): Transcript {
  const segments = given.segments.map(
    (segment): TranscriptSegment => ({
      id: segment.id,
      ...toPlace(segment),
      text: segment.text,
      tokens: segment.tokens,
      speaker: segment.speaker,
      words: segment.words.map((word) => ({ ...toPlace(word), text: word.text })),
    }),
  )
  const duration = roundSeconds(toSeconds(given.duration))
  return {
    text: given.text || segments.map(({ text }) => text).join('') || heard,
    language: given.language,
    duration: duration > 0 ? duration : Math.max(0, ...segments.slice(-1).map(({ end }) => end)),
    segments,
  }
}

/** Rounds away the digits that a 32-bit float invents. */
export function roundSeconds(seconds: number): number {
  return Math.round(seconds * 1e6) / 1e6
}
