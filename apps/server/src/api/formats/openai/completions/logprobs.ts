import type { CompletionLogprobs } from '@svc/wire/openai'
import type { PredictionEvent, PromptToken, TokenLogprob } from '../../../../inference/core/events.ts'

type TextDelta = Extract<PredictionEvent, { readonly type: 'text-delta' }>
type Alternative = Pick<TokenLogprob, 'token' | 'bytes' | 'logprob'>

/** Writes the tokens of one choice as the lists of the legacy format. */
export interface LogprobWriter {
  /** Gives the lists for a piece of text; null when its tokens are unknown. Call it for every piece, in order. */
  piece(event: Pick<TextDelta, 'text' | 'logprobs' | 'prompt'>): CompletionLogprobs | null
}

/** @param alternatives number of alternatives for each token; undefined: no log-probabilities */
export function createLogprobWriter(alternatives: number | undefined): LogprobWriter {
  let position = 0
  return {
    piece({ text, logprobs: entries, prompt }) {
      const start = position
      position += countCodePoints(text)
      if (alternatives === undefined) return null
      if (prompt !== undefined) return listPrompt(prompt, { start, end: position, alternatives })
      if (entries === undefined) return null
      // Text that belongs to no token precedes the tokens.
      const ownLength = entries.reduce((sum, { token }) => sum + countCodePoints(token), 0)
      let offset = Math.min(position, Math.max(start, position - ownLength))
      const lists = createLists()
      for (const entry of entries) {
        lists.tokens.push(spell(entry))
        lists.token_logprobs.push(entry.logprob)
        lists.text_offset.push(offset)
        lists.top_logprobs.push(toLikeliest(entry, entry.top_logprobs.slice(0, alternatives)))
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

function createLists(): CompletionLogprobs {
  return { tokens: [], token_logprobs: [], text_offset: [], top_logprobs: [] }
}

/**
 * Lists the tokens of an echoed prompt. A token may end inside a character, and the text may be shorter than its tokens
 * where masked values were put back.
 */
function listPrompt(
  tokens: readonly PromptToken[],
  { start, end, alternatives }: { readonly start: number; readonly end: number; readonly alternatives: number },
): CompletionLogprobs {
  const lists = createLists()
  const decoder = new TextDecoder()
  let offset = start
  for (const { logprob, top, ...spelled } of tokens) {
    lists.tokens.push(spell(spelled))
    lists.token_logprobs.push(logprob)
    lists.text_offset.push(Math.min(offset, end))
    lists.top_logprobs.push(logprob === null ? null : toLikeliest({ ...spelled, logprob }, top.slice(0, alternatives)))
    offset += countCodePoints(decoder.decode(Buffer.from(spelled.bytes ?? spelled.token), { stream: true }))
  }
  return lists
}

/**
 * Maps alternatives by token, with the token itself, because clients look it up there. Of tokens that look alike the
 * likelier one counts, so that the best value stays the best.
 */
function toLikeliest(own: Alternative, listed: readonly Alternative[]): Record<string, number> {
  const found = new Map<string, number>()
  for (const one of [...listed, own]) {
    const name = spell(one)
    found.set(name, Math.max(one.logprob, found.get(name) ?? Number.NEGATIVE_INFINITY))
  }
  return Object.fromEntries(found)
}

/** The text of a token. Bytes that are not text are written as the format's own service writes them. */
function spell({ token, bytes }: Pick<Alternative, 'token' | 'bytes'>): string {
  if (bytes === null || !token.includes('\u{fffd}')) return token
  return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}`
}

function countCodePoints(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}
