import { hasText } from '../sniff/ascii.ts'
import { ByteReader } from '../streams/byte-reader.ts'
import type { Decode } from './decoded.ts'
import { type OggPage, readOggPages } from './ogg-pages.ts'
import { createOpusDecoder, OPUS_CLOCK, type OpusDecoder, readOpusHead } from './opus-decoder.ts'

/** A stream of the file. Another one may follow it. */
interface OpusStream {
  readonly serial: number
  readonly decoder: OpusDecoder
  /** The tags follow the head. */
  hasTags: boolean
  /** Position at the end of the page before. */
  position: number | undefined
}

/** Decodes Opus in Ogg (RFC 7845). Streams of other codecs are passed over. */
export const decodeOggOpus: Decode = async function* (file, { sampleRate: wanted, signal }) {
  const reader = new ByteReader(file, signal)
  let stream: OpusStream | undefined
  try {
    for await (const page of readOggPages(reader)) {
      const begun = page.isFirst ? await begin(page, wanted) : undefined
      if (begun !== undefined) {
        stream?.decoder.close()
        stream = begun
        continue
      }
      if (stream === undefined || page.serial !== stream.serial) continue
      const samples = decodePage(stream, page)
      if (samples.length > 0) yield { sampleRate: stream.decoder.sampleRate, channels: [samples] }
    }
  } finally {
    stream?.decoder.close()
    await reader.close()
  }
}

async function begin({ serial, packets }: OggPage, wanted: number): Promise<OpusStream | undefined> {
  const [head] = packets
  if (head === undefined || !hasText(head, 0, 'OpusHead')) return undefined
  const decoder = await createOpusDecoder(readOpusHead(head), wanted)
  return { serial, decoder, hasTags: false, position: undefined }
}

/** Decodes the packets of a page. The position of the last page says where the sound ends in it. */
function decodePage(stream: OpusStream, { packets, position, isLast }: OggPage): Float32Array {
  const sound = stream.hasTags ? packets : packets.slice(1)
  if (packets.length > 0) stream.hasTags = true
  const samples = stream.decoder.decode(sound)
  const before = stream.position ?? 0
  if (position !== undefined) stream.position = position
  if (!isLast || position === undefined || position < before) return samples
  return samples.subarray(0, Math.round(((position - before) * stream.decoder.sampleRate) / OPUS_CLOCK))
}
