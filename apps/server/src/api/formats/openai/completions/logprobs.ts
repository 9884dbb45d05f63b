import type { CompletionLogprobs } from '@svc/wire/openai'
import type { TokenLogprob } from '../../../../inference/events.ts'

/** Writes the tokens of one choice as the lists of the legacy format. */
export interface LogprobWriter {
  /** Gives the lists for a piece of text; null when its tokens are unknown. Call it for every piece, in order. */
  piece(text: string, entries: readonly TokenLogprob[] | undefined): CompletionLogprobs | null
}

/** @param alternatives number of alternatives for each token; undefined: no log-probabilities */
export function createLogprobWriter(alternatives: number | undefined): LogprobWriter {
  let position = 0
  return {
    piece(text, entries) {
      const start = position
      position += countCodePoints(text)
      if (alternatives === undefined || entries === undefined) return null
      // Text that belongs to no token precedes the tokens: an echoed prompt.
      const ownLength = entries.reduce((sum, { token }) => sum + countCodePoints(token), 0)
      let offset = Math.max(start, position - ownLength)
      const lists: CompletionLogprobs = { tokens: [], token_logprobs: [], text_offset: [], top_logprobs: [] }
      for (const entry of entries) {
        lists.tokens.push(entry.token)
        lists.token_logprobs.push(entry.logprob)
        lists.text_offset.push(offset)
        lists.top_logprobs.push(toLikeliest(entry, alternatives))
        offset += countCodePoints(entry.token)
      }
      return lists
    },
  }
}

/** Appends the lists of a later piece. */
export function appendLogprobs(all: CompletionLogprobs, added: CompletionLogprobs): void {
  for (const token of added.tokens) all.tokens.push(token)
  for (const logprob of added.token_logprobs) all.token_logprobs.push(logprob)
  for (const offset of added.text_offset) all.text_offset.push(offset)
  for (const alternatives of added.top_logprobs) all.top_logprobs.push(alternatives)
}

/** Maps alternatives by token, with the token itself, because clients look it up there. */
function toLikeliest(entry: TokenLogprob, alternatives: number): Record<string, number> {
  const listed = entry.top_logprobs.slice(0, alternatives)
  return Object.fromEntries([...listed, entry].map(({ token, logprob }) => [token, logprob]))
}

function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
