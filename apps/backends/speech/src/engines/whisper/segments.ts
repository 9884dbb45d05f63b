import type { SpokenSegment, SpokenWord } from '../../speech-model.ts'
import type { WhisperPart, WhisperResult } from './protocol.ts'
import { SPEECH_RATE, type SpeechWindow } from './windows.ts'

/** Ends of sentences, with quotation marks and brackets behind them. */
const SENTENCE_END = /[.!?…。！？]["'”’»)\]]*$/u
/** A pause between words that ends a segment, in seconds. */
const LONG_PAUSE = 1
/** Seconds of a segment at most, where its words tell no end of a sentence. */
const LONG_SEGMENT = 15
/** Seconds by which each window moves on at least. */
const LEAST_PROGRESS = 5
const HUNDREDTHS = 100

/** The parts of a window that are said to the end, and where the next window shall start, in samples of this one. */
export interface HeardWindow {
  readonly segments: readonly SpokenSegment[]
  /** Undefined for its end. */
  readonly restart: number | undefined
}

/**
 * Makes segments of what the engine heard in a window, with times from the start of the audio. In a window that cuts a
 * word, the last segment is left to the next window.
 */
export function toSegments(
  { parts, language }: WhisperResult,
  window: SpeechWindow,
  { words }: { readonly words: boolean },
): HeardWindow {
  const places = parts.filter(({ text }) => text !== '').map((part) => toPlace(part, window))
  const all = words ? groupWords(places) : places.map((place) => ({ ...place, words: [] }))
  const segments = all.map((segment) => ({ ...segment, language }))
  const last = segments.at(-1)
  if (window.isWhole || last === undefined) return { segments, restart: undefined }
  const start = window.offset / SPEECH_RATE
  const place = (segments.length === 1 ? last.end : last.start) - start
  // A restart near the start of the window would hear the same again and again.
  if (place < LEAST_PROGRESS) return { segments, restart: undefined }
  const heard = segments.length === 1 ? segments : segments.slice(0, -1)
  return { segments: heard, restart: Math.round(place * SPEECH_RATE) }
}

/** The engine's window is longer than short audio: times behind its end are its end. */
function toPlace({ text, start, end }: WhisperPart, { samples, offset }: SpeechWindow): SpokenWord {
  const limit = samples.length / SPEECH_RATE
  const from = Math.min(Math.max(start / HUNDREDTHS, 0), limit)
  const to = Math.min(Math.max(end / HUNDREDTHS, from), limit)
  const before = offset / SPEECH_RATE
  return { text: text.trim(), start: before + from, end: before + to }
}

/** The engine gives words or segments. Words end a segment at the end of a sentence and before a pause. */
function groupWords(words: readonly SpokenWord[]): readonly Omit<SpokenSegment, 'language'>[] {
  const groups: SpokenWord[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    if (group === undefined || isOver(group, word)) groups.push([word])
    else group.push(word)
  }
  return groups.map((group) => ({
    start: group[0]?.start ?? 0,
    end: group.at(-1)?.end ?? 0,
    text: group.map(({ text }) => text).join(' '),
    words: group,
  }))
}

function isOver(group: readonly SpokenWord[], next: SpokenWord): boolean {
  const [first] = group
  const last = group.at(-1)
  if (first === undefined || last === undefined) return false
  return SENTENCE_END.test(last.text) || next.start - last.end >= LONG_PAUSE || next.end - first.start > LONG_SEGMENT
}
