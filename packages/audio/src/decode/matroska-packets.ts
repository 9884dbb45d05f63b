import { AudioError } from '../errors.ts'
import type { ByteReader } from '../streams/byte-reader.ts'
import { decodeText, decodeUnsigned, readElementHead, splitElements, splitLaces } from './matroska-elements.ts'

const SEGMENT = 0x18538067
const TRACKS = 0x1654ae6b
const CLUSTER = 0x1f43b675
const BLOCK_GROUP = 0xa0
const TRACK_ENTRY = 0xae
const BLOCK = 0xa1
const SIMPLE_BLOCK = 0xa3
const TRACK_NUMBER = 0xd7
const CODEC = 0x86
const CODEC_HEAD = 0x63a2
const ENCODINGS = 0x6d80

/** Elements whose children are read one after the other. Their own sizes do not matter, and may be unknown. */
const OPENED: ReadonlySet<number> = new Set([SEGMENT, TRACKS, CLUSTER, BLOCK_GROUP])
/** Nothing of interest is longer: descriptions of tracks, and blocks of sound. */
const MAX_ELEMENT_BYTES = 1024 * 1024

/** A track of a file. */
interface Track {
  readonly number: number
  readonly head: Uint8Array
}

/** The packets of a track. */
export interface TrackPackets {
  /** The private data of the codec. */
  readonly head: Uint8Array
  readonly packets: AsyncGenerator<Uint8Array>
}

/**
 * Reads the packets of the first track with a codec. A file that is cut off ends with its last whole block. Sizes of live
 * recordings may be unknown.
 *
 * @throws AudioError `bad_audio`; `unsupported_audio` for a track that is compressed or encrypted
 */
export async function readMatroskaPackets(reader: ByteReader, codec: string): Promise<TrackPackets> {
  for (;;) {
    const found = await nextElement(reader, TRACK_ENTRY)
    if (found === undefined) throw new AudioError('bad_audio', `the file has no track of ${codec}`)
    const track = readTrack(found.content, codec)
    if (track !== undefined) return { head: track.head, packets: readPackets(reader, track.number) }
  }
}

async function* readPackets(reader: ByteReader, number: number): AsyncGenerator<Uint8Array> {
  for (;;) {
    const found = await nextElement(reader, BLOCK, SIMPLE_BLOCK)
    if (found === undefined) return
    const { track, packets } = splitLaces(found.content)
    if (track === number) yield* packets
  }
}

/** Reads up to the next element of these kinds. Undefined at the end of the file. */
async function nextElement(
  reader: ByteReader,
  ...kinds: readonly number[]
): Promise<{ readonly content: Uint8Array } | undefined> {
  for (;;) {
    const head = await readElementHead(reader)
    if (head === undefined) return undefined
    if (OPENED.has(head.id)) continue
    if (head.size === undefined) throw new AudioError('bad_audio', 'an element of the file has no size')
    if (!kinds.includes(head.id) || head.size > MAX_ELEMENT_BYTES) {
      if ((await reader.skip(head.size)) < head.size) return undefined
      continue
    }
    const content = await reader.read(head.size)
    return content.length < head.size ? undefined : { content }
  }
}

function readTrack(content: Uint8Array, codec: string): Track | undefined {
  const children = splitElements(content)
  const find = (id: number): Uint8Array | undefined => children.find((child) => child.id === id)?.content
  if (decodeText(find(CODEC)) !== codec) return undefined
  if (find(ENCODINGS) !== undefined) throw new AudioError('unsupported_audio', 'the track is compressed or encrypted')
  return { number: decodeUnsigned(find(TRACK_NUMBER)), head: find(CODEC_HEAD) ?? new Uint8Array(0) }
}
