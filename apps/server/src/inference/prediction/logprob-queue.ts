import type { TokenLogprob } from '../core/events.ts'

/**
 * Tokens of one choice that wait for their text. Text may come later than its tokens. Tokens of tags, reasoning and
 * calls between them belong to no text.
 */
export interface LogprobQueue {
  add(tokens: readonly TokenLogprob[]): void
  /**
   * Takes the tokens of the next text; undefined when there are none.
   *
   * @param options.isAlone the reply says only text at this time. Tokens that are not found in it then belong to it
   *   too, because text may be edited
   */
  take(text: string, options: { readonly isAlone: boolean }): readonly TokenLogprob[] | undefined
  /**
   * Drops the tokens of a part that is not text and keeps later ones.
   *
   * @param options.textFollows the reply says text at the same time. A part that is not found then drops nothing
   */
  skip(said: string, options: { readonly textFollows: boolean }): void
  /** Takes all tokens that still wait. */
  rest(): readonly TokenLogprob[] | undefined
}

/** Creates an empty queue. */
export function createLogprobQueue(): LogprobQueue {
  let waiting: TokenLogprob[] = []

  /** Gives the UTF-8 offsets of the tokens' starts and of the last end, and the start of a text. */
  function locate(text: string): { readonly offsets: readonly number[]; readonly at: number; readonly end: number } {
    const offsets = [0]
    const parts = waiting.map(({ token, bytes }) => Buffer.from(bytes ?? token))
    for (const { length } of parts) offsets.push((offsets.at(-1) ?? 0) + length)
    const all = Buffer.concat(parts)
    const wanted = Buffer.from(text)
    const last = all.length - wanted.length
    const at = last >= 0 && all.subarray(last).equals(wanted) ? last : all.indexOf(wanted)
    return { offsets, at, end: at + wanted.length }
  }

  const given = (tokens: readonly TokenLogprob[]): readonly TokenLogprob[] | undefined =>
    tokens.length === 0 ? undefined : tokens

  function rest(): readonly TokenLogprob[] | undefined {
    const all = waiting
    waiting = []
    return given(all)
  }

  return {
    add(tokens) {
      for (const token of tokens) waiting.push(token)
    },
    take(text, { isAlone }) {
      if (waiting.length === 0) return undefined
      const { offsets, at, end } = locate(text)
      if (at < 0) return isAlone ? rest() : undefined
      const taken = waiting.filter((_, index) => (offsets[index] ?? 0) < end && (offsets[index + 1] ?? 0) > at)
      waiting = waiting.filter((_, index) => (offsets[index] ?? 0) >= end)
      return given(taken)
    },
    skip(said, { textFollows }) {
      if (waiting.length === 0) return
      const { offsets, at, end } = locate(said)
      if (at >= 0) waiting = waiting.filter((_, index) => (offsets[index] ?? 0) >= end)
      else if (!textFollows) waiting = []
    },
    rest,
  }
}
