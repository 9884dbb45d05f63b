import type { TrackedText } from './tracked-text.ts'
import { sliceTracked, toSourceRange } from './tracked-text.ts'
import type { Token } from './word-pieces.ts'

/** An entry of `added_tokens` in `tokenizer.json`. */
export interface AddedToken {
  readonly id: number
  readonly content: string
  readonly special: boolean
  /** Whether it is searched in the normalized text. */
  readonly normalized: boolean
  /** Whether blanks before it, and after it, belong to it. */
  readonly lstrip: boolean
  readonly rstrip: boolean
}

/** A text cut at the added tokens in it. */
export type Section =
  | { readonly kind: 'text'; readonly text: TrackedText }
  | { readonly kind: 'token'; readonly token: Token }

/** Finds added tokens, the longest where several begin at one place. */
export type SplitAddedTokens = (input: TrackedText) => readonly Section[]

/** Creates a splitter for tokens by their text in the searched form. */
export function createSplitter(tokens: ReadonlyMap<string, AddedToken>): SplitAddedTokens {
  const pattern = matchAny([...tokens.keys()])
  if (pattern === undefined) return (text) => [{ kind: 'text', text }]
  return (input) => {
    const sections: Section[] = []
    let done = 0
    const addText = (end: number): void => {
      if (end > done) sections.push({ kind: 'text', text: sliceTracked(input, done, end) })
    }
    for (const { 0: content, index } of input.text.matchAll(pattern)) {
      const token = tokens.get(content)
      if (token === undefined) continue
      const end = index + content.length
      addText(token.lstrip ? done + input.text.slice(done, index).trimEnd().length : index)
      sections.push({ kind: 'token', token: { id: token.id, ...toSourceRange(input, index, end) } })
      done = token.rstrip ? end + blanksAt(input.text, end) : end
    }
    addText(input.text.length)
    return sections
  }
}

/**
 * Creates a function that cuts a text inside everything that reads like one of these tokens, after its first character.
 */
export function createBreaker(contents: readonly string[]): (input: TrackedText) => readonly TrackedText[] {
  const pattern = matchAny(contents.filter((content) => [...content].length > 1))
  if (pattern === undefined) return (input) => [input]
  return (input) => {
    const cuts = [...input.text.matchAll(pattern)].map(({ 0: content, index }) => {
      return index + ((content.codePointAt(0) ?? 0) > 0xffff ? 2 : 1)
    })
    const bounds = [0, ...cuts, input.text.length]
    return bounds.slice(1).map((end, index) => sliceTracked(input, bounds[index] ?? 0, end))
  }
}

/** Matches any of these texts, the longest first; undefined without texts. */
function matchAny(texts: readonly string[]): RegExp | undefined {
  const wanted = texts.filter((text) => text !== '').sort((a, b) => b.length - a.length)
  if (wanted.length === 0) return undefined
  return new RegExp(wanted.map((text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')).join('|'), 'gu')
}

function blanksAt(text: string, from: number): number {
  const rest = text.slice(from)
  return rest.length - rest.trimStart().length
}
