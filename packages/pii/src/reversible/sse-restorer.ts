import { checkArgument } from '@svc/errors'
import { applySplices, type JsonNode, type Splice } from '@svc/json'
import { createLaneRestorer, type LaneRestorer } from './lane-restorer.ts'
import {
  type LanePiece,
  type LateEvent,
  REPLY_FORMATS,
  type ReplyEvent,
  type ReplyFormat,
  readReplyEvent,
} from './reply-lanes.ts'
import { encodeText, parseReply, restoreStrings } from './restore-json.ts'
import { type SseFrame, SseFrames } from './sse-frames.ts'
import type { TokenMap } from './token-map.ts'

/** Restores values in a stream of events. */
export interface SseRestorer {
  /**
   * Takes the next bytes, cut anywhere, and returns the ready part: whole events. The bytes must not change afterwards.
   *
   * @throws SvcError `sse_event_too_large`, kind `too_large`
   */
  push(bytes: Uint8Array): Uint8Array[]
  /**
   * Ends the stream and returns the held text of lanes, in events, and the bytes of an unfinished event. Do not call it
   * for a discarded reply.
   */
  end(): Uint8Array[]
}

export interface SseRestorerOptions {
  /** The longest event, in bytes with all its lines. @default 16 MiB */
  readonly maxEventBytes?: number | undefined
}

const DEFAULT_MAX_EVENT_BYTES = 16 * 1024 * 1024
const DONE = '[DONE]'
const LF = 0x0a
const BACKSLASH = 0x5c
const QUOTE = 0x22
const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Creates a restorer for the event stream of a format. Events without a token stay byte for byte, comments and spacing
 * too. The end of a lane's text that may begin a token waits for the next delta of the lane. When the lane ends first,
 * it goes out in a delta of its own before the ending event. Other texts of an event are restored as wholes.
 */
export function createSseRestorer(format: ReplyFormat, map: TokenMap, options: SseRestorerOptions = {}): SseRestorer {
  checkArgument(map?.matcher !== undefined, 'createSseRestorer: map', 'a map of createTokenMap', map)
  checkArgument(
    REPLY_FORMATS.includes(format),
    'createSseRestorer: format',
    `one of ${REPLY_FORMATS.join(', ')}`,
    format,
  )
  return new Restorer(format, map, options.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES)
}

/** A lane with held text. */
interface HoldingLane {
  readonly restorer: LaneRestorer
  readonly late: LanePiece['late']
}

class Restorer implements SseRestorer {
  readonly #format: ReplyFormat
  readonly #map: TokenMap
  readonly #frames: SseFrames
  readonly #mayConcern: (bytes: Uint8Array) => boolean
  readonly #lanes = new Map<string, HoldingLane>()
  /** Number of inserted numbered events: later events are renumbered. */
  #inserted = 0
  #lastSequence = -1

  constructor(format: ReplyFormat, map: TokenMap, maxEventBytes: number) {
    this.#format = format
    this.#map = map
    this.#frames = new SseFrames(maxEventBytes)
    const mayHoldToken = createGlance(map.matcher.prefix)
    // The map may get invented values while the stream runs.
    this.#mayConcern = (bytes) => map.matcher.hasFakes || mayHoldToken(bytes)
  }

  push(bytes: Uint8Array): Uint8Array[] {
    if (this.#map.size === 0) return [bytes]
    return this.#frames.push(bytes).flatMap((frame) => this.#restoreFrame(frame))
  }

  end(): Uint8Array[] {
    const late = this.#endLanes([''], this.#lastSequence + 1)
    const rest = this.#frames.end()
    return rest.length === 0 ? late : [...late, rest]
  }

  #restoreFrame(frame: SseFrame): Uint8Array[] {
    const { bytes, data } = frame
    if (data.length === 0) return [bytes]
    const isNumbered = this.#format === 'responses'
    if (this.#lanes.size === 0 && !isNumbered && !this.#mayConcern(bytes)) return [bytes]
    const text = joinData(frame)
    const root = parseReply(text)
    if (root === undefined) {
      const isEnd = decoder.decode(text).trim() === DONE
      return isEnd ? [...this.#endLanes([''], this.#lastSequence + 1), bytes] : [bytes]
    }
    const event = readReplyEvent(this.#format, root)
    if (event.isError) this.#lanes.clear()
    const splices = this.#restoreLanes(event)
    splices.push(...restoreStrings(this.#map, root, new Set(event.pieces.map(({ node }) => node.index))))
    const sequence = isNumbered ? root.get('sequence_number') : undefined
    const late = this.#endLanes(event.ended, sequence?.kind === 'number' ? sequence.number() : undefined)
    if (sequence?.kind === 'number') this.#renumber(sequence, splices)
    return [...late, applySplices(bytes, toFrameOffsets(frame, splices))]
  }

  /** Passes the pieces of an event through their lanes and returns their replacements. */
  #restoreLanes({ pieces, ended }: ReplyEvent): Splice[] {
    const splices: Splice[] = []
    for (const { key, kind, node, late } of pieces) {
      const restorer = this.#lanes.get(key)?.restorer ?? createLaneRestorer(this.#map, kind)
      const text = node.text()
      const pushed = restorer.push(text)
      const restored = ended.some((beginning) => key.startsWith(beginning)) ? pushed + restorer.end() : pushed
      if (restored !== text) splices.push({ start: node.start, end: node.end, replacement: encodeText(restored) })
      if (restorer.isHolding) this.#lanes.set(key, { restorer, late })
      else this.#lanes.delete(key)
    }
    return splices
  }

  /** Events with the held text of ending lanes. Numbered ones take the numbers from `sequence` on. */
  #endLanes(ended: readonly string[], sequence: number | undefined): Uint8Array[] {
    const frames: Uint8Array[] = []
    for (const [key, { restorer, late }] of this.#lanes) {
      if (!ended.some((beginning) => key.startsWith(beginning))) continue
      this.#lanes.delete(key)
      const event = late(restorer.end())
      if (sequence !== undefined && 'sequence_number' in event.data) {
        event.data.sequence_number = sequence + this.#inserted
        this.#inserted += 1
      }
      frames.push(writeEvent(event))
    }
    return frames
  }

  #renumber(node: JsonNode, splices: Splice[]): void {
    this.#lastSequence = node.number()
    if (this.#inserted === 0) return
    const replacement = encoder.encode(String(this.#lastSequence + this.#inserted))
    splices.push({ start: node.start, end: node.end, replacement })
  }
}

function writeEvent({ event, data }: LateEvent): Uint8Array {
  const name = event === undefined ? '' : `event: ${event}\n`
  return encoder.encode(`${name}data: ${JSON.stringify(data)}\n\n`)
}

/** The data of a frame: its `data:` lines joined by line feeds. */
function joinData({ bytes, data }: SseFrame): Uint8Array {
  const [first] = data
  if (data.length === 1 && first !== undefined) return bytes.subarray(first.start, first.end)
  const joined = new Uint8Array(data.reduce((size, { start, end }) => size + end - start + 1, -1))
  let write = 0
  for (const [index, { start, end }] of data.entries()) {
    if (index > 0) joined[write++] = LF
    joined.set(bytes.subarray(start, end), write)
    write += end - start
  }
  return joined
}

/** Converts edits of the data to edits of the frame: no token of JSON crosses a line. */
function toFrameOffsets({ data }: SseFrame, splices: readonly Splice[]): Splice[] {
  const ordered = splices.toSorted((one, other) => one.start - other.start)
  const placed: Splice[] = []
  let line = 0
  let lineStart = 0
  for (const { start, end, replacement } of ordered) {
    let range = data[line]
    while (range !== undefined && start > lineStart + range.end - range.start) {
      lineStart += range.end - range.start + 1
      line += 1
      range = data[line]
    }
    if (range === undefined) break
    const shift = range.start - lineStart
    placed.push({ start: start + shift, end: end + shift, replacement })
  }
  return placed
}

/**
 * Creates a quick check whether the bytes of an event may hold a token, or a text that ends in the beginning of one:
 * the first character of tokens before the second or before a quote, or any escape.
 */
function createGlance(prefix: string): (bytes: Uint8Array) => boolean {
  const [one = '', next = ''] = prefix
  const [first, second] = encoder.encode(one + next)
  if (prefix.length < 2 || first === undefined || first >= 0x80) return () => true
  return (bytes) => {
    if (bytes.includes(BACKSLASH)) return true
    for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
      if (bytes[at + 1] === second || bytes[at + 1] === QUOTE) return true
    }
    return false
  }
}
