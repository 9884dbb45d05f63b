import { CRC16 } from './crc.ts'
import { type FrameHead, MAX_HEAD_BYTES, readFrameHead } from './read-frame-head.ts'

/** Finds the frames of a FLAC stream. Bytes between frames, such as metadata, and damaged frames are passed over. */
export interface FrameFinder {
  /** Takes the next bytes of the stream. Gives the frames that are complete; each holds until the next call. */
  push(bytes: Uint8Array): Generator<Uint8Array>
  /** Gives the frames that the end of the stream completes. */
  end(): Generator<Uint8Array>
}

/** What may be behind the last frame of a stream: another stream, or a tag. */
const FOLLOWERS = ['fLaC', 'TAG', 'ID3'].map((text) => new TextEncoder().encode(text))
/** Bytes of the checksum behind a frame. */
const CHECK_BYTES = 2
/** How often a byte may be searched on average, beside {@link FREE_BYTES}. */
const MAX_SEARCHES = 8
const FREE_BYTES = 1024 * 1024

/** A frame whose end is searched. Places are those in the kept bytes. */
interface OpenFrame {
  readonly head: FrameHead
  start: number
  /** Place up to which the checksum is known. */
  at: number
  crc: number
}

/**
 * Creates a finder at the start of a stream. It holds one frame of at most 512 KB, and its time grows with the length of
 * the stream, whatever the bytes: where many heads have no end, it goes on behind them.
 */
export function createFrameFinder(): FrameFinder {
  const kept = createKeptBytes()
  let frame: OpenFrame | undefined
  /** Place where the search for a head goes on. */
  let from = 0
  /** Bytes of the stream before the kept ones, and bytes that were searched for the end of a frame. */
  let [dropped, searched] = [0, 0]

  function append(bytes: Uint8Array): void {
    const shift = kept.append(bytes, frame?.start ?? from)
    dropped += shift
    from -= shift
    if (frame === undefined) return
    frame.start -= shift
    frame.at -= shift
  }

  function findHead(isEnd: boolean): OpenFrame | undefined {
    const bytes = kept.bytes()
    const limit = isEnd ? bytes.length : bytes.length - MAX_HEAD_BYTES
    for (; from < limit; from++) {
      const head = bytes[from] === 0xff ? readFrameHead(bytes, from) : undefined
      if (head !== undefined) return { head, start: from, at: from, crc: 0 }
    }
    return undefined
  }

  function* take(isEnd: boolean): Generator<Uint8Array> {
    for (;;) {
      frame ??= findHead(isEnd)
      if (frame === undefined) return
      const before = frame.at
      const outcome = searchEnd(frame, kept.bytes(), isEnd)
      searched += frame.at - before
      if (outcome === 'wait') return
      const { start, at } = frame
      frame = undefined
      if (outcome === 'found') yield kept.bytes().subarray(start, at)
      const mayTurnBack = searched <= FREE_BYTES + MAX_SEARCHES * (dropped + start)
      from = outcome === 'damaged' && mayTurnBack ? start + 1 : at
    }
  }

  return {
    *push(bytes) {
      append(bytes)
      yield* take(false)
    },
    end: () => take(true),
  }
}

/** Moves a frame on to its end, which is where its checksum is right and another frame begins. */
function searchEnd(frame: OpenFrame, bytes: Uint8Array, isEnd: boolean): 'found' | 'damaged' | 'wait' {
  const { head, start } = frame
  const limit = Math.min(bytes.length, start + head.maxBytes)
  const least = start + head.length + CHECK_BYTES
  let { at, crc } = frame
  for (; ; at++) {
    if (crc === 0 && at > least) {
      Object.assign(frame, { at, crc })
      if (isEnd ? isFollowed(bytes, at) || at === bytes.length : isFollowed(bytes, at)) return 'found'
      if (!isEnd && at + MAX_HEAD_BYTES > bytes.length) return 'wait'
    }
    if (at >= limit) break
    crc = ((crc << 8) & 0xffff) ^ (CRC16[(crc >> 8) ^ (bytes[at] ?? 0)] ?? 0)
  }
  Object.assign(frame, { at, crc })
  return isEnd || at === start + head.maxBytes ? 'damaged' : 'wait'
}

function isFollowed(bytes: Uint8Array, at: number): boolean {
  if (readFrameHead(bytes, at) !== undefined) return true
  return FOLLOWERS.some((text) => text.every((byte, index) => bytes[at + index] === byte))
}

/** Bytes that are added at the end and dropped at the start. */
function createKeptBytes() {
  let store = new Uint8Array(64 * 1024)
  let length = 0
  return {
    bytes: (): Uint8Array => store.subarray(0, length),
    /** Adds bytes. @param used bytes at the start that may go; @returns how many have gone */
    append(more: Uint8Array, used: number): number {
      const shift = used > length / 2 ? used : 0
      store.copyWithin(0, shift, length)
      length -= shift
      if (length + more.length > store.length) {
        const larger = new Uint8Array(2 * (length + more.length))
        larger.set(store.subarray(0, length))
        store = larger
      }
      store.set(more, length)
      length += more.length
      return shift
    },
  }
}
