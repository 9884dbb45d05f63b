import { SvcError } from '@svc/errors'
import { PendingBytes } from '../pending-bytes.ts'

/** An event as it came. */
export interface SseEvent {
  readonly kind: 'event'
  /** The event's name, when it had one. */
  readonly event: string | undefined
  /** Its `data:` lines, joined by LF. */
  readonly data: string
  /** The id given with this very event; ids of earlier events are not carried over. */
  readonly id: string | undefined
  /** Wait before a reconnect, in milliseconds, when the event sets one. */
  readonly retryMs: number | undefined
  /** Its bytes as they came, comments inside it and the closing empty line included. */
  readonly raw: Uint8Array
}

/** Bytes between events: a comment, an empty line, or fields that carry no data. */
export interface SseFiller {
  readonly kind: 'filler'
  /** Text of the comment, when it is one, without the colon and one space. */
  readonly comment: string | undefined
  readonly raw: Uint8Array
}

/** The unfinished rest at the end of a stream. By the standard it is not an event. */
export interface SseIncomplete {
  readonly kind: 'incomplete'
  readonly raw: Uint8Array
}

/** A piece of a stream. The `raw` bytes of all pieces, one after the other, are the stream. */
export type SsePiece = SseEvent | SseFiller | SseIncomplete

/** Options of {@link createSseDecoder}. */
export interface SseDecoderOptions {
  /** The longest event, in bytes with all its lines. @default 16 MiB */
  readonly maxEventBytes?: number | undefined
}

/** A push decoder, for relays of streams. */
export interface SseDecoder {
  /**
   * Takes the next bytes, cut anywhere, and returns the pieces they complete. An event is returned with the
   * push that brings its closing empty line, a comment between events with the push that ends its line. The bytes
   * must not be changed afterwards: pieces are views of them.
   *
   * @throws SvcError `too_large`, code `sse_event_too_large`
   */
  push(chunk: Uint8Array): SsePiece[]
  /** Ends the stream and returns the rest, if any. */
  end(): SsePiece[]
}

const DEFAULT_MAX_EVENT_BYTES = 16 * 1024 * 1024
const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20

/** A decoder for `text/event-stream` by the WHATWG standard, for any cut of the bytes. */
export function createSseDecoder(options: SseDecoderOptions = {}): SseDecoder {
  return new Decoder(options.maxEventBytes ?? DEFAULT_MAX_EVENT_BYTES)
}

/**
 * The pieces of a stream: events and everything between them, for a relay.
 *
 * @throws SvcError `too_large`, code `sse_event_too_large`
 */
export async function* decodeSsePieces(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options?: SseDecoderOptions,
): AsyncGenerator<SsePiece, void, undefined> {
  const decoder = createSseDecoder(options)
  for await (const chunk of source) yield* decoder.push(chunk)
  yield* decoder.end()
}

/**
 * The events of a stream.
 *
 * @throws SvcError `too_large`, code `sse_event_too_large`
 * @example
 * for await (const { data } of decodeSse(response.body)) if (data !== '[DONE]') show(JSON.parse(data))
 */
export async function* decodeSse(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  options?: SseDecoderOptions,
): AsyncGenerator<SseEvent, void, undefined> {
  for await (const piece of decodeSsePieces(source, options)) if (piece.kind === 'event') yield piece
}

/** The fields of the event whose lines are being read. */
interface Fields {
  event: string | undefined
  data: string | undefined
  id: string | undefined
  retryMs: number | undefined
}

class Decoder implements SseDecoder {
  readonly #maxEventBytes: number
  readonly #text = new TextDecoder('utf-8', { ignoreBOM: true })
  /** All bytes since the end of the last piece. */
  readonly #pending = new PendingBytes()
  #fields: Fields | undefined
  /** Start of the unfinished line in the pending bytes, and the offset up to which it was searched for its end. */
  #lineStart = 0
  #searched = 0
  #isFirstLine = true
  /** The last chunk ended with a CR that ended a line: a following LF belongs to it. */
  #lfMayFollow = false

  constructor(maxEventBytes: number) {
    this.#maxEventBytes = maxEventBytes
  }

  push(chunk: Uint8Array): SsePiece[] {
    const pieces: SsePiece[] = []
    if (chunk.length === 0) return pieces
    const bytes = this.#pending.append(chunk)
    let start = 0
    if (this.#lfMayFollow && bytes[this.#lineStart] === LF) {
      this.#lineStart += 1
      // Between events that LF is a piece of its own, because the event before it did not wait for it.
      if (this.#lineStart === 1) {
        pieces.push({ kind: 'filler', comment: undefined, raw: bytes.subarray(0, 1) })
        start = 1
      }
    }
    const ends = createLineEnds(bytes)
    let end = ends(Math.max(this.#lineStart, this.#searched))
    for (; end !== -1; end = ends(this.#lineStart)) {
      const next = bytes[end] === CR && bytes[end + 1] === LF ? end + 2 : end + 1
      this.#checkSize(next - start)
      const piece = this.#readLine(bytes.subarray(this.#lineStart, end), bytes.subarray(start, next))
      this.#lineStart = next
      if (piece === undefined) continue
      pieces.push(piece)
      start = next
    }
    this.#lfMayFollow = this.#lineStart === bytes.length && bytes[bytes.length - 1] === CR
    this.#pending.keepFrom(start)
    this.#lineStart -= start
    this.#searched = bytes.length - start
    this.#checkSize(this.#searched)
    return pieces
  }

  end(): SsePiece[] {
    if (this.#pending.length === 0) return []
    const raw = this.#pending.append(new Uint8Array(0))
    this.#pending.keepFrom(raw.length)
    return [{ kind: 'incomplete', raw }]
  }

  #checkSize(size: number): void {
    if (size <= this.#maxEventBytes) return
    throw new SvcError('too_large', `an event of the stream is larger than ${this.#maxEventBytes} bytes`, {
      code: 'sse_event_too_large',
    })
  }

  /** Reads one line and returns the piece that it completes, made of `raw`. */
  #readLine(line: Uint8Array, raw: Uint8Array): SsePiece | undefined {
    const content = this.#isFirstLine ? withoutByteOrderMark(line) : line
    this.#isFirstLine = false
    if (content.length === 0) {
      const fields = this.#fields
      this.#fields = undefined
      if (fields?.data === undefined) return { kind: 'filler', comment: undefined, raw }
      return { kind: 'event', event: fields.event, data: fields.data, id: fields.id, retryMs: fields.retryMs, raw }
    }
    const colon = content.indexOf(COLON)
    if (colon === 0) {
      return this.#fields === undefined ? { kind: 'filler', comment: this.#valueAfter(content, 0), raw } : undefined
    }
    this.#fields ??= { event: undefined, data: undefined, id: undefined, retryMs: undefined }
    const name = this.#text.decode(colon === -1 ? content : content.subarray(0, colon))
    setField(this.#fields, name, colon === -1 ? '' : this.#valueAfter(content, colon))
    return undefined
  }

  #valueAfter(line: Uint8Array, colon: number): string {
    return this.#text.decode(line.subarray(line[colon + 1] === SPACE ? colon + 2 : colon + 1))
  }
}

function setField(fields: Fields, name: string, value: string): void {
  if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`
  else if (name === 'event') fields.event = value === '' ? undefined : value
  else if (name === 'id') fields.id = value.includes('\0') ? fields.id : value
  else if (name === 'retry' && /^\d{1,15}$/.test(value)) fields.retryMs = Number(value)
}

function withoutByteOrderMark(line: Uint8Array): Uint8Array {
  return line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf ? line.subarray(3) : line
}

/** Finds the next CR or LF at or after an offset; offsets must not go back. */
function createLineEnds(bytes: Uint8Array): (from: number) => number {
  let lf = -2
  let cr = -2
  return (from) => {
    // Each search goes on where the last one ended, so that bytes without any CR are searched once.
    if (lf !== -1 && lf < from) lf = bytes.indexOf(LF, from)
    if (cr !== -1 && cr < from) cr = bytes.indexOf(CR, from)
    if (lf === -1) return cr
    return cr === -1 ? lf : Math.min(lf, cr)
  }
}
