import { checkArgument } from '@svc/errors'
import { createPauses } from '../pauses.ts'
import { findBreak, snapBack, snapForward } from './boundaries.ts'
import { estimateTokens } from './estimate-tokens.ts'

/** A part of a text. */
export interface TextChunk {
  readonly text: string
  /** Place of its first UTF-16 code unit in the whole text. */
  readonly start: number
  /** Place after its last code unit. */
  readonly end: number
  readonly tokens: number
}

/** Options of {@link cutText}. */
export interface CutOptions {
  /** Largest chunk, 100 to 4096 tokens. @default 800 */
  readonly maxTokens?: number | undefined
  /** Largest part that two neighbours share, at most half of {@link maxTokens}. @default half of it, at most 400 */
  readonly overlapTokens?: number | undefined
  /** Counts the tokens of a text. A longer text must not have fewer. @default {@link estimateTokens} */
  readonly countTokens?: ((text: string) => number) | undefined
  /** Ends the work; its reason is thrown. */
  readonly signal: AbortSignal
}

/** Bounds and defaults of chunks, in tokens. */
export const CHUNK_LIMITS = { least: 100, most: 4096, usual: 800, usualOverlap: 400 } as const

/**
 * Cuts a text into overlapping chunks: before headings, after paragraphs, after sentences, after words, and inside of
 * words only where one is larger than a chunk. Chunks cover the whole text. No cut splits a grapheme, unless the
 * grapheme is larger than a chunk. Other work gets its turn every few milliseconds.
 *
 * @throws {SvcError} `invalid_argument` for sizes out of range
 */
export async function* cutText(text: string, options: CutOptions): AsyncGenerator<TextChunk> {
  const { countTokens = estimateTokens, signal } = options
  const { maxTokens, overlapTokens } = readSizes(options)
  const { pause } = createPauses(signal)
  let start = 0
  let previousEnd = 0
  while (previousEnd < text.length) {
    await pause()
    const furthest = findFurthest(text, { start, maxTokens, countTokens })
    const least = Math.max(start + Math.floor((furthest - start) / 2), previousEnd)
    const end = furthest === text.length ? furthest : chooseEnd(text, least, furthest)
    const part = text.slice(start, end)
    yield { text: part, start, end, tokens: countTokens(part) }
    previousEnd = end
    const next = overlapTokens === 0 ? end : findOverlap(text, { start, end, overlapTokens, countTokens })
    // The next chunk must get further than this one, whatever the counter says.
    start = findFurthest(text, { start: next, maxTokens, countTokens }) > end ? next : end
  }
}

function readSizes({ maxTokens = CHUNK_LIMITS.usual, overlapTokens }: CutOptions) {
  const { least, most, usualOverlap } = CHUNK_LIMITS
  const half = Math.floor(maxTokens / 2)
  const overlap = overlapTokens ?? Math.min(usualOverlap, half)
  checkArgument(
    Number.isSafeInteger(maxTokens) && maxTokens >= least && maxTokens <= most,
    'cutText: maxTokens',
    `a whole number from ${least} to ${most}`,
    maxTokens,
  )
  checkArgument(
    Number.isSafeInteger(overlap) && overlap >= 0 && overlap <= half,
    'cutText: overlapTokens',
    'a whole number up to half of maxTokens',
    overlap,
  )
  return { maxTokens, overlapTokens: overlap }
}

interface Counting {
  readonly countTokens: (text: string) => number
}

/** Finds the furthest end of a chunk that splits no grapheme. It is after `start`. */
function findFurthest(
  text: string,
  { start, maxTokens, countTokens }: Counting & { readonly start: number; readonly maxTokens: number },
): number {
  const fits = (end: number): boolean => countTokens(text.slice(start, end)) <= maxTokens
  let fitting = start
  let beyond = Math.min(text.length, start + maxTokens * 4)
  while (fits(beyond)) {
    if (beyond === text.length) return beyond
    fitting = beyond
    beyond = Math.min(text.length, start + (beyond - start) * 2)
  }
  while (beyond - fitting > 1) {
    const middle = Math.floor((fitting + beyond) / 2)
    if (fits(middle)) fitting = middle
    else beyond = middle
  }
  return snapBack(text, start, Math.max(fitting, start + 1))
}

function chooseEnd(text: string, least: number, furthest: number): number {
  return findBreak(text, least, furthest) ?? furthest
}

/** Finds where the next chunk begins, so that it shares the end of this one. */
function findOverlap(
  text: string,
  {
    start,
    end,
    overlapTokens,
    countTokens,
  }: Counting & { readonly start: number; readonly end: number; readonly overlapTokens: number },
): number {
  let [tooEarly, fitting] = [start, end]
  while (fitting - tooEarly > 1) {
    const middle = Math.floor((tooEarly + fitting) / 2)
    if (countTokens(text.slice(middle, end)) <= overlapTokens) fitting = middle
    else tooEarly = middle
  }
  const first = snapForward(text, fitting, end)
  const broken = findFirstBreak(text, first, end)
  return broken ?? first
}

/** Finds the start of the first sentence in the first half of an overlap, else the first word. */
function findFirstBreak(text: string, from: number, to: number): number | undefined {
  const half = text.slice(from, from + Math.floor((to - from) / 2))
  const found = /[.!?…]["'”’)\]]*\s+|[。！？]|\n\s*/u.exec(half) ?? /\s+/u.exec(half)
  if (found === null) return undefined
  const place = snapForward(text, from + found.index + found[0].length, to)
  return place < to ? place : undefined
}
