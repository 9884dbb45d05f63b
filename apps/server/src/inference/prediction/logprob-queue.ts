import type { TokenLogprob } from '../events.ts'

/**
 * Tokens of one choice that wait for the text they are part of. Text may come later than its tokens, and what stands
 * between tokens of text belongs to nobody: tags, reasoning, calls.
 */
export interface LogprobQueue {
  add(tokens: readonly TokenLogprob[]): void
  /**
   * Takes the tokens of the next text; undefined when there are none.
   *
   * @param options.isAlone nothing but text is said at this time: then tokens that cannot be found in it are its own
   *   all the same, as text may be edited on its way
   */
  take(text: string, options: { readonly isAlone: boolean }): readonly TokenLogprob[] | undefined
  /**
   * Drops the tokens of something that is no text; those after it stay.
   *
   * @param options.textFollows text is said at the same time: where this cannot be found, that still may be
   */
  skip(said: string, options: { readonly textFollows: boolean }): void
  /** Takes whatever still waits. */
  rest(): readonly TokenLogprob[] | undefined
}

/** A queue with no tokens yet. */
export function createLogprobQueue(): LogprobQueue {
  let waiting: TokenLogprob[] = []

  /** Offsets in UTF-8 bytes of the first byte of each token and of the last one's end, and where a text begins. */
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
