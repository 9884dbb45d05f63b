import type { Span } from '../span.ts'
import { isWordAfter, isWordBefore } from './words.ts'

/** Shorter terms are ignored, in code points. */
export const MIN_TERM_LENGTH = 3
/** The step for any run of white space. */
const BLANK = ' '
const WHITE_SPACE = /^\s$/u

/** Finds protected terms. */
export interface TermMatcher {
  /**
   * Finds whole-word occurrences within a span of a text, ascending and apart; of several terms at one position the
   * longest.
   */
  find(text: string, within: Span): Span[]
}

interface Node {
  readonly next: Map<string, Node>
  isEnd: boolean
}

/**
 * Compiles a matcher of terms, ignoring case; a run of white space in a term matches any run of white space, line
 * breaks included. Undefined when no term is long enough. Takes time in proportion to the text, for any number of terms
 * of one length.
 */
export function compileTerms(terms: readonly string[]): TermMatcher | undefined {
  const root: Node = { next: new Map(), isEnd: false }
  for (const term of terms) {
    const characters = [...term.trim().replaceAll(/\s+/gu, BLANK)]
    if (characters.length < MIN_TERM_LENGTH) continue
    let node = root
    for (const character of characters) node = findChild(node, fold(character))
    node.isEnd = true
  }
  if (root.next.size === 0) return undefined
  return { find: (text, within) => findTerms(root, text, within) }
}

function findChild(node: Node, step: string): Node {
  const known = node.next.get(step)
  if (known !== undefined) return known
  const child: Node = { next: new Map(), isEnd: false }
  node.next.set(step, child)
  return child
}

function findTerms(root: Node, text: string, { start, end }: Span): Span[] {
  const found: Span[] = []
  let at = start
  while (at < end) {
    const first = characterAt(text, at)
    const mayStart = root.next.has(fold(first)) && !isWordBefore(text, at)
    const termEnd = mayStart ? longestTermAt(root, text, { start: at, end }) : undefined
    if (termEnd !== undefined) found.push({ start: at, end: termEnd })
    at = termEnd ?? at + first.length
  }
  return found
}

/** The end of the longest term that begins at a span's start and ends at a word border. */
function longestTermAt(root: Node, text: string, { start, end }: Span): number | undefined {
  let longest: number | undefined
  let node: Node | undefined = root
  let at = start
  while (at < end) {
    const character = characterAt(text, at)
    node = node.next.get(fold(character))
    if (node === undefined) break
    at += character.length
    if (isBlank(character)) while (at < end && isBlank(characterAt(text, at))) at++
    if (node.isEnd && !isWordAfter(text, at)) longest = at
  }
  return longest
}

function isBlank(character: string): boolean {
  return WHITE_SPACE.test(character)
}

/**
 * A character without its case; white space is {@link BLANK}. Characters whose other case has two characters stay
 * unchanged.
 */
function fold(character: string): string {
  return ASCII_FOLDS[character.charCodeAt(0)] ?? foldAny(character)
}

function foldAny(character: string): string {
  if (isBlank(character)) return BLANK
  const upper = character.toUpperCase()
  const lower = (isOneCharacter(upper) ? upper : character).toLowerCase()
  return isOneCharacter(lower) ? lower : character
}

function isOneCharacter(text: string): boolean {
  return text.length === 1 || (text.length === 2 && (text.codePointAt(0) ?? 0) > 0xffff)
}

function characterAt(text: string, offset: number): string {
  return String.fromCodePoint(text.codePointAt(offset) ?? 0)
}

const ASCII_FOLDS: readonly string[] = Array.from({ length: 128 }, (_, code) => foldAny(String.fromCharCode(code)))
