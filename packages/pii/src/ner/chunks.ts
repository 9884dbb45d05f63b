import { SvcError } from '@svc/errors'
import type { Span } from '../span.ts'
import { isInsideCharacter } from '../well-formed.ts'

/** Chunk lengths for a recogniser, in UTF-16 code units. */
export interface ChunkSettings {
  /** Most units of a chunk; at least the parts before and after a core, and one unit more. */
  readonly size: number
  /** Units that a recogniser looks to either side of the start of a detection, the length of the detection included. */
  readonly overlap: number
}

/** Overlap of a chunk, on either side. */
const OVERLAP_SHARE = 0.15
/** Special tokens around a text, and the extra unit by which an edge moves out of a character. */
const SPARE_TOKENS = 8
/** Smaller chunks leave too little context around a name; larger ones cost a model more than they help it. */
const MIN_SIZE = 256
const MAX_SIZE = 4096

/**
 * Chunk sizes that a model reads completely, because text past its limit is not scanned: a token for each code unit,
 * although words take far fewer. A chunk is never smaller than 256 code units: a model with less context must read on
 * by itself.
 *
 * @param contextSize tokens that the model reads at once
 */
export function chooseChunking(contextSize: number): ChunkSettings {
  const size = Math.max(MIN_SIZE, Math.min(MAX_SIZE, Math.floor(contextSize) - SPARE_TOKENS))
  return { size, overlap: Math.floor(size * OVERLAP_SHARE) }
}

/** A piece of a text for a recogniser. */
export interface Chunk extends Span {
  /** Detections that start in the core belong to this chunk; the cores of all chunks cover the text. */
  readonly core: Span
}

/** Extra distance of an edge beyond the overlap to avoid cutting a word, as a part of the overlap. */
const SLACK = 1 / 8

/**
 * Cuts a text into cores, preferably at blank lines, else at white space, each with at least the overlap on both sides.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for invalid lengths
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
    const end = findCoreEnd(text, start, coreSize)
    chunks.push({
      start: findEdgeBefore(text, start - overlap, slack),
      end: findEdgeAfter(text, end + overlap, slack),
      core: { start, end },
    })
    start = end
  }
  return chunks
}

/** The end of a core: after a blank line or white space in its second half, else at its full size. */
function findCoreEnd(text: string, start: number, coreSize: number): number {
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

/** The start of a word at or a little before an offset; the offset without one. */
function findEdgeBefore(text: string, offset: number, slack: number): number {
  if (offset <= 0) return 0
  const first = Math.max(0, offset - slack)
  const blank = text.slice(first, offset).search(/\s\S*$/u)
  if (blank !== -1) return first + blank + 1
  return isInsideCharacter(text, offset) ? offset - 1 : offset
}

/** The end of a word at or a little after an offset; the offset without one. */
function findEdgeAfter(text: string, offset: number, slack: number): number {
  if (offset >= text.length) return text.length
  const blank = text.slice(offset, offset + slack).search(/\s/u)
  if (blank !== -1) return offset + blank
  return isInsideCharacter(text, offset) ? offset + 1 : offset
}

/** A recogniser's detection in a chunk, with offsets of the whole text. */
export interface ChunkHit extends Span {
  readonly group: string
  readonly score: number
}

/**
 * Unites the detections of a text's chunks. A chunk is responsible for detections that start in its core: there, a
 * recogniser that looks no further than the overlap has all its context. A detection that reaches the end of a chunk is
 * continued with the next one. A detection that reaches into a core from before counts if the chunk of its start has
 * not found all of it: the result of a recogniser depends on the cut.
 *
 * @param found the detections of each chunk
 */
export function uniteChunks(chunks: readonly Chunk[], found: readonly (readonly ChunkHit[])[]): ChunkHit[] {
  const united: ChunkHit[] = []
  let open: ChunkHit[] = []
  /** Accepted detections that continue into the next core. */
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

/** Whether detections cover the whole text between two offsets. */
function isCovered(start: number, end: number, hits: readonly ChunkHit[]): boolean {
  let covered = start
  const near = hits.filter((hit) => hit.end > start && hit.start < end)
  for (const hit of near.sort((one, other) => one.start - other.start)) {
    if (hit.start <= covered) covered = Math.max(covered, hit.end)
  }
  return covered >= end
}

/** A detection at the end of its chunk, extended by the next chunk's detections at its place. */
function continueHit(hit: ChunkHit, next: readonly ChunkHit[]): ChunkHit {
  let { end, score } = hit
  for (const piece of next) {
    if (piece.start > hit.end || piece.end < hit.end) continue
    end = Math.max(end, piece.end)
    if (piece.group === hit.group) score = Math.max(score, piece.score)
  }
  return { ...hit, end, score }
}
