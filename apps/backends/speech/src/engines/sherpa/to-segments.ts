import type { SpokenSegment, SpokenWord } from '../../speech-model.ts'
import type { HeardResult } from './protocol.ts'

/** A pause between words that ends a segment, in seconds. */
const LONG_PAUSE = 0.8
/** A segment ends at the next word after this length, in seconds. */
const LONG_SEGMENT = 15
/** Length of the last sound of a word, in seconds: only the begin of a token is known. */
const LAST_SOUND = 0.3
/** Characters that begin a word in tokens. */
const WORD_START = /^[▁ ]/u
const WITHOUT_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const SENTENCE_END = /[.!?。！？]$/u

/** A stretch of audio that was recognised, in seconds from the start. */
interface Stretch {
  readonly offset: number
  readonly seconds: number
}

/**
 * Makes segments of what a recogniser heard in a stretch of audio. It gives tokens, with the time at which each begins or
 * without.
 */
export function toSegments(heard: HeardResult, { offset, seconds }: Stretch, withWords: boolean): SpokenSegment[] {
  const text = heard.text.trim()
  if (text === '') return []
  const { language } = heard
  const words = toWords(heard, { offset, seconds })
  if (words.length === 0) return [{ start: offset, end: offset + seconds, text, words: [], language }]
  return groupWords(words).map((group) => ({
    start: group[0]?.start ?? offset,
    end: group.at(-1)?.end ?? offset,
    text: joinWords(group),
    words: withWords ? group : [],
    language,
  }))
}

function toWords({ tokens, timestamps }: HeardResult, { offset, seconds }: Stretch): SpokenWord[] {
  if (timestamps.length !== tokens.length) return []
  const words: { start: number; last: number; text: string }[] = []
  for (const [index, token] of tokens.entries()) {
    const word = words.at(-1)
    const text = token.replaceAll('▁', ' ').trim()
    const time = Math.min(Math.max(word?.last ?? 0, timestamps[index] ?? 0), seconds)
    if (word === undefined || WORD_START.test(token) || WITHOUT_SPACES.test(text)) {
      words.push({ start: time, last: time, text })
    } else {
      word.text += text
      word.last = time
    }
  }
  const spoken = words.filter(({ text }) => text !== '')
  return spoken.map(({ start, last, text }, index) => {
    const end = Math.min(last + LAST_SOUND, spoken[index + 1]?.start ?? seconds)
    return { start: offset + start, end: offset + Math.max(last, end), text }
  })
}

function groupWords(words: readonly SpokenWord[]): SpokenWord[][] {
  const groups: SpokenWord[][] = []
  for (const word of words) {
    const group = groups.at(-1)
    const first = group?.[0]
    const last = group?.at(-1)
    const isOver =
      first === undefined ||
      last === undefined ||
      SENTENCE_END.test(last.text) ||
      word.start - last.end >= LONG_PAUSE ||
      word.end - first.start > LONG_SEGMENT
    if (group === undefined || isOver) groups.push([word])
    else group.push(word)
  }
  return groups
}

function joinWords(words: readonly SpokenWord[]): string {
  return words.map(({ text }, index) => (index === 0 || WITHOUT_SPACES.test(text) ? text : ` ${text}`)).join('')
}
