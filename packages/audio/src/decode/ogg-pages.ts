import { AudioError } from '../errors.ts'
import { hasText } from '../sniff/ascii.ts'
import type { ByteReader } from '../streams/byte-reader.ts'
import { joinBytes } from '../streams/join-bytes.ts'

const HEAD_BYTES = 27
/** The `O` of `OggS`, with which a page begins. */
const FIRST_BYTE = 0x4f
const CONTINUED = 1
const FIRST = 2
const LAST = 4
const FULL_SEGMENT = 255
/** No packet of sound is longer. Longer ones, such as tags with a picture, are dropped. */
const MAX_PACKET_BYTES = 1024 * 1024
/** The position of a page on which no packet ends. */
const NO_POSITION = -1n

/** A page of an Ogg file. */
export interface OggPage {
  readonly serial: number
  readonly isFirst: boolean
  readonly isLast: boolean
  /** Position at the end of its last packet, in samples of the codec. Undefined where no packet ends. */
  readonly position: number | undefined
  /** The packets that end on this page. Empty ones were too long. */
  readonly packets: readonly Uint8Array[]
  /** The page as it is in the file: its head, the lengths of its segments, and the segments. */
  readonly parts: readonly [head: Uint8Array, lengths: Uint8Array, content: Uint8Array]
}

/** A packet that goes on on the next page of its stream. */
interface Begun {
  readonly bytes: Uint8Array
  readonly isDropped: boolean
}

const NOTHING: Begun = { bytes: new Uint8Array(0), isDropped: false }

/**
 * Reads the pages of an Ogg file (RFC 3533). A file that is cut off ends with its last whole page. Bytes between pages
 * are stepped over.
 *
 * @throws AudioError `bad_audio` for a file of too many streams at once
 */
export async function* readOggPages(reader: ByteReader): AsyncGenerator<OggPage> {
  const begun = new Map<number, Begun>()
  for (;;) {
    const head = await readHead(reader)
    if (head === undefined) return
    const segments = await reader.read(head[26] ?? 0)
    const content = await reader.read(segments.reduce((sum, length) => sum + length, 0))
    const view = new DataView(head.buffer, head.byteOffset)
    const [flags, serial] = [view.getUint8(5), view.getUint32(14, true)]
    const open = (flags & CONTINUED) === 0 ? NOTHING : (begun.get(serial) ?? { ...NOTHING, isDropped: true })
    const { packets, rest } = cut(content, segments, open)
    begun.delete(serial)
    if (rest !== undefined) begun.set(serial, rest)
    // Streams that never end their packets would fill the memory.
    if (begun.size > 16) throw new AudioError('bad_audio', 'the Ogg file has too many streams')
    const position = view.getBigInt64(6, true)
    yield {
      serial,
      isFirst: (flags & FIRST) !== 0,
      isLast: (flags & LAST) !== 0,
      position: position === NO_POSITION ? undefined : Number(position),
      packets,
      parts: [head, segments, content],
    }
  }
}

/** Reads up to the next head of a page. Undefined at the end of the file. */
async function readHead(reader: ByteReader): Promise<Uint8Array | undefined> {
  let head = await reader.read(HEAD_BYTES)
  while (head.length === HEAD_BYTES && !(hasText(head, 0, 'OggS') && head[4] === 0)) {
    const next = head.indexOf(FIRST_BYTE, 1)
    const used = next === -1 ? HEAD_BYTES : next
    head = joinBytes(head.subarray(used), await reader.read(used))
  }
  return head.length < HEAD_BYTES ? undefined : head
}

/** Cuts the content of a page into packets. A segment of 255 bytes goes on in the next one. */
function cut(
  content: Uint8Array,
  segments: Uint8Array,
  open: Begun,
): { readonly packets: readonly Uint8Array[]; readonly rest: Begun | undefined } {
  const packets: Uint8Array[] = []
  let current: Begun | undefined = open
  let [from, at] = [0, 0]
  for (const length of segments) {
    at += length
    current ??= NOTHING
    if (length === FULL_SEGMENT) continue
    packets.push(append(current, content.subarray(from, at)).bytes)
    current = undefined
    from = at
  }
  const isOpen = current !== undefined && segments.at(-1) === FULL_SEGMENT
  return { packets, rest: isOpen ? append(current ?? NOTHING, content.subarray(from, at)) : undefined }
}

function append({ bytes, isDropped }: Begun, more: Uint8Array): Begun {
  if (isDropped || bytes.length + more.length > MAX_PACKET_BYTES) return { bytes: NOTHING.bytes, isDropped: true }
  return { bytes: bytes.length === 0 ? more : joinBytes(bytes, more), isDropped: false }
}
