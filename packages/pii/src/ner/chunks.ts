import { SvcError } from '@svc/errors'
import type { Span } from '../span.ts'
import { isInsideCharacter } from '../well-formed.ts'

/** How long texts are cut for a recogniser, in UTF-16 code units. */
export interface ChunkSettings {
  /** The most that is sent at once; never less than what lies before and after a core, and one unit more. */
  readonly size: number
  /** How far a recogniser looks to either side of the start of a detection, its length included. */
  readonly overlap: number
}

/** Of a chunk, on either side of it. */
const OVERLAP_SHARE = 0.15
/** What a tokenizer puts around a text, and the odd unit by which an edge moves out of a character. */
const SPARE_TOKENS = 8
/** Smaller chunks leave too little around a name; larger ones cost a model more than they help it. */
const MIN_SIZE = 256
const MAX_SIZE = 4096

/**
 * Chunks that a model reads to their end, for what it leaves off is not scanned: a token for each code unit, although words
 * take far fewer. A chunk is never smaller than 256 code units: models of less context have to read on by themselves.
 *
 * @param contextSize tokens that the model reads at once
 */
export function chunkingFor(contextSize: number): ChunkSettings {
  const size = Math.max(MIN_SIZE, Math.min(MAX_SIZE, Math.floor(contextSize) - SPARE_TOKENS))
  return { size, overlap: Math.floor(size * OVERLAP_SHARE) }
}

/** A piece of a text as a recogniser sees it. */
export interface Chunk extends Span {
  /** Detections that start in here are those of this chunk; the cores of all chunks are the text. */
  readonly core: Span
}

/** How much further than the overlap an edge may lie so that no word is cut, as a part of the overlap. */
const SLACK = 1 / 8

/**
 * Cuts a text into cores, at blank lines or else white space where there is any, each with at least the overlap on both
 * sides.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for settings that are no lengths
 */
export function cutChunks(text: string, { size, overlap }: ChunkSettings): Chunk[] {
  if (!Number.isInteger(size) || size < 1 || !Number.isInteger(overlap) || overlap < 0) {
    throw new SvcError('invalid_request', 'chunks need a size of 1 or more and an overlap of 0 or more', {
      code: 'pii_config',
    })
  }
  if (text.length <= size) return [{ start: 0, end: text.length, core: { start: 0, end: text.length } }]
  const slack = Math.floor(overlap * SLACK)
  const coreSize = Math.max(1, size - 2 * (overlap + slack))
  const chunks: Chunk[] = []
  for (let start = 0; start < text.length; ) {
    const end = coreEnd(text, start, coreSize)
    chunks.push({
      start: edgeBefore(text, start - overlap, slack),
      end: edgeAfter(text, end + overlap, slack),
      core: { start, end },
    })
    start = end
  }
  return chunks
}

/** Where a core ends: after a blank line or white space in its second half, else where it is full. */
function coreEnd(text: string, start: number, coreSize: number): number {
  const full = start + coreSize
  if (full >= text.length) return text.length
  const half = start + (coreSize >>> 1) + 1
  const window = text.slice(half, full)
  const blankLine = window.lastIndexOf('\n\n')
  if (blankLine !== -1) return half + blankLine + 2
  const blank = window.search(/\s\S*$/u)
  if (blank !== -1) return half + blank + 1
  return isInsideCharacter(text, full) ? full + 1 : full
}

/** The start of a word at or a little before an offset; the offset where there is none. */
function edgeBefore(text: string, offset: number, slack: number): number {
  if (offset <= 0) return 0
  const first = Math.max(0, offset - slack)
  const blank = text.slice(first, offset).search(/\s\S*$/u)
  if (blank !== -1) return first + blank + 1
  return isInsideCharacter(text, offset) ? offset - 1 : offset
}

/** The end of a word at or a little after an offset; the offset where there is none. */
function edgeAfter(text: string, offset: number, slack: number): number {
  if (offset >= text.length) return text.length
  const blank = text.slice(offset, offset + slack).search(/\s/u)
  if (blank !== -1) return offset + blank
  return isInsideCharacter(text, offset) ? offset + 1 : offset
}

/** What a recogniser found in a chunk, with offsets of the whole text. */
export interface ChunkHit extends Span {
  readonly group: string
  readonly score: number
}

/**
 * The detections of a text from those of its chunks. A chunk answers for what starts in its core: there a recogniser that
 * looks no further than the overlap sees all it would see of the whole text. What runs into the end of a chunk is taken
 * on with the next one, so that nothing long is lost. What reaches into a core from before it counts where the chunk that
 * it starts in has not found all of that: recognisers do not see the same where the text around it is cut elsewhere.
 *
 * @param found for each chunk what was found in it
 */
export function uniteChunks(chunks: readonly Chunk[], found: readonly (readonly ChunkHit[])[]): ChunkHit[] {
  const united: ChunkHit[] = []
  let open: ChunkHit[] = []
  /** What counts already and goes on into the next core. */
  let reachNext: ChunkHit[] = []
  for (const [index, { end, core }] of chunks.entries()) {
    const hits = found[index] ?? []
    const started = hits.filter(({ start }) => start >= core.start && start < core.end)
    const own = [...open.map((earlier) => continueHit(earlier, hits)), ...started]
    const reaching = hits.filter(
      (hit) => hit.start < core.start && !isCovered(core.start, hit.end, [...reachNext, ...own]),
    )
    const reachEnd: ChunkHit[] = []
    for (const hit of [...own, ...reaching]) {
      if (hit.end >= end) reachEnd.push(hit)
      else united.push(hit)
    }
    open = reachEnd
    reachNext = [...reachNext, ...own, ...reaching].filter((hit) => hit.end > core.end)
  }
  return [...united, ...open]
}

/** Whether detections lie on all that stands between two offsets. */
function isCovered(start: number, end: number, hits: readonly ChunkHit[]): boolean {
  let covered = start
  const near = hits.filter((hit) => hit.end > start && hit.start < end)
  for (const hit of near.sort((one, other) => one.start - other.start)) {
    if (hit.start <= covered) covered = Math.max(covered, hit.end)
  }
  return covered >= end
}

/** A detection that ran into the end of its chunk, as far as the next chunk's detections of its place reach. */
function continueHit(hit: ChunkHit, next: readonly ChunkHit[]): ChunkHit {
  let { end, score } = hit
  for (const piece of next) {
    if (piece.start > hit.end || piece.end < hit.end) continue
    end = Math.max(end, piece.end)
    if (piece.group === hit.group) score = Math.max(score, piece.score)
  }
  return { ...hit, end, score }
}
