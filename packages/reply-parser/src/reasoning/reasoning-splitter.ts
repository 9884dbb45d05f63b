import type { ReasoningSettings } from '../settings.ts'
import { endWithoutBlanks, skipBlanks } from './blanks.ts'
import { listFirstUnits, matchLiteralAt, measureHeldBack } from './literals.ts'
import { listTagPairs, type TagPair } from './tag-pairs.ts'

/** The additions of a piece of a reply to the two lanes; either may be empty. */
export interface ReasoningDelta {
  readonly reasoning: string
  readonly text: string
}

/** Separates reasoning from the answer while a reply arrives. */
export interface ReasoningSplitter {
  /** Takes the next piece of the reply. A possible beginning of a tag waits for the next piece. */
  push(piece: string): ReasoningDelta
  /** Returns the waiting text. */
  end(): ReasoningDelta
}

/** The beginning of a reply. */
export interface ReplyStart {
  /** The start token that the prompt ends with, as `findPrefilledToken` finds it: the reply begins inside its block. */
  readonly promptEndsInside?: string | undefined
}

/**
 * Creates the splitter of one reply. The joined deltas do not depend on how the reply is cut into pieces. Takes time
 * linear in the length. An unclosed block is reasoning to its end.
 *
 * Drops white space at both ends of a block and joins blocks with a blank line; the answer stays as it is. White space
 * before a prefilled block belongs to the answer.
 */
export function createReasoningSplitter(settings: ReasoningSettings, start: ReplyStart = {}): ReasoningSplitter {
  if (settings.disable === true) {
    return { push: (piece) => ({ reasoning: '', text: piece }), end: () => ({ reasoning: '', text: '' }) }
  }
  const pairs = listTagPairs(settings)
  const starts = pairs.map((pair) => pair.start)
  const units = listFirstUnits(starts)
  const writer = createBlockWriter()
  const keepsReasoning = settings.stripReasoningOnly !== true

  let waiting = ''
  let inside: TagPair | undefined
  let prefilled = prefilledPair()
  let reasoning = ''
  let text = ''

  function prefilledPair(): TagPair | undefined {
    if (settings.disableReasoningTagPrefill === true) return undefined
    return pairs.find((pair) => pair.start === start.promptEndsInside)
  }

  function enter(pair: TagPair): void {
    inside = pair
    writer.begin()
  }

  /** Each reader reads from the front of the waiting text and returns false until there is enough text to decide. */
  function readPrefill(pair: TagPair, final: boolean): boolean {
    const at = skipBlanks(waiting)
    text += waiting.slice(0, at)
    waiting = waiting.slice(at)
    if (waiting === '') return false
    // Some models repeat the token that the prompt ends with.
    const match = matchLiteralAt([pair.start], { text: waiting, at: 0, end: waiting.length, final })
    if (match === 'more') return false
    if (match !== 'none') waiting = waiting.slice(pair.start.length)
    prefilled = undefined
    enter(pair)
    return true
  }

  function readBlock(pair: TagPair, final: boolean): boolean {
    const end = waiting.indexOf(pair.end)
    const held = end >= 0 || final ? 0 : measureHeldBack(waiting, pair.end)
    const piece = waiting.slice(0, end >= 0 ? end : waiting.length - held)
    if (keepsReasoning) reasoning += writer.write(piece)
    waiting = waiting.slice(end >= 0 ? end + pair.end.length : piece.length)
    if (end < 0) return false
    inside = undefined
    return true
  }

  function readText(final: boolean): boolean {
    for (let at = 0; at < waiting.length; at++) {
      if (!units.has(waiting.charCodeAt(at))) continue
      const match = matchLiteralAt(starts, { text: waiting, at, end: waiting.length, final })
      if (match === 'none') continue
      text += waiting.slice(0, at)
      if (match === 'more') {
        waiting = waiting.slice(at)
        return false
      }
      const pair = pairs[match]
      if (pair === undefined) return false
      waiting = waiting.slice(at + pair.start.length)
      enter(pair)
      return true
    }
    text += waiting
    waiting = ''
    return false
  }

  function read(final: boolean): boolean {
    if (prefilled !== undefined) return readPrefill(prefilled, final)
    return inside === undefined ? readText(final) : readBlock(inside, final)
  }

  function take(piece: string, final: boolean): ReasoningDelta {
    waiting += piece
    while (read(final));
    const delta = { reasoning, text }
    reasoning = ''
    text = ''
    return delta
  }

  return { push: (piece) => take(piece, false), end: () => take('', true) }
}

/** Joins blocks of reasoning that arrive in pieces. Trims each block and puts a blank line between non-empty ones. */
interface BlockWriter {
  /** Begins the next block. */
  begin(): void
  /** Takes a piece of the block and returns the text that is ready. */
  write(piece: string): string
}

/** Makes the writer of one reply. */
export function createBlockWriter(): BlockWriter {
  let wroteAny = false
  let wroteInBlock = false
  let blanks = ''

  return {
    begin() {
      wroteInBlock = false
      blanks = ''
    },
    write(piece) {
      const end = endWithoutBlanks(piece)
      if (end === 0) {
        // White space at the end of a block is dropped, so it waits for the next text.
        if (wroteInBlock) blanks += piece
        return ''
      }
      const separator = wroteInBlock ? blanks : wroteAny ? '\n\n' : ''
      const text = separator + piece.slice(wroteInBlock ? 0 : skipBlanks(piece), end)
      wroteAny = true
      wroteInBlock = true
      blanks = piece.slice(end)
      return text
    },
  }
}

/** Removes tags from reasoning that a backend separated but did not clean. */
export interface ReasoningCleaner {
  push(piece: string): string
  end(): string
}

/**
 * Creates the cleaner of one reply. Reasoning without tags passes unchanged; a possible tag waits for the next piece.
 */
export function createReasoningCleaner(settings: ReasoningSettings): ReasoningCleaner {
  const splitter = createReasoningSplitter({ ...settings, stripReasoningOnly: false })
  return {
    push(piece) {
      const { reasoning, text } = splitter.push(piece)
      return reasoning + text
    },
    end() {
      const { reasoning, text } = splitter.end()
      return reasoning + text
    },
  }
}
