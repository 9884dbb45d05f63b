import { AudioError } from '../errors.ts'
import { ByteReader } from '../streams/byte-reader.ts'
import { createSlices } from '../streams/slices.ts'
import type { Decode, DecodeOptions } from './decoded.ts'
import { type OggPage, readOggPages } from './ogg-pages.ts'
import { runDecoder } from './run-decoder.ts'

/** Channels that the format gives a place. Files may declare 255, which take gigabytes to decode. */
const MAX_CHANNELS = 8
/** Place of the number of channels in the first packet. */
const CHANNELS_AT = 11
/** Pages of one packet, such as tags with a picture: 16 MB. The decoder copies the begun packet with every page. */
const MAX_OPEN_PAGES = 256
/** Streams of one file, which the decoder remembers. */
const MAX_STREAMS = 1000

/** Decodes Vorbis in Ogg by libvorbis. Packets that are damaged are left out. */
export const decodeVorbis: Decode = async function* (file, options) {
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis')
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  yield* runDecoder(decoder, readPages(new ByteReader(file, options.signal), options))
}

/** The decoder gets whole pages: calls without a packet are slow. A page has up to 255 packets of 4,096 samples. */
async function* readPages(reader: ByteReader, { signal }: DecodeOptions): AsyncGenerator<Uint8Array> {
  const slices = createSlices(signal)
  const openPages = new Map<number, number>()
  let isFirst = true
  try {
    for await (const page of readOggPages(reader)) {
      if (isFirst) checkChannels(page)
      isFirst = false
      countOpen(openPages, page)
      yield Buffer.concat(page.parts)
      await slices.breathe()
    }
  } finally {
    await reader.close()
  }
}

/** Checks the first page, which is the only one that the decoder takes channels from. */
function checkChannels({ packets: [head] }: OggPage): void {
  if ((head?.[CHANNELS_AT] ?? 0) <= MAX_CHANNELS) return
  throw new AudioError('unsupported_audio', `Vorbis with more than ${MAX_CHANNELS} channels has no reader`)
}

/** Counts the pages of each stream since the last end of a packet. */
function countOpen(openPages: Map<number, number>, { serial, packets }: OggPage): void {
  const count = packets.length > 0 ? 0 : (openPages.get(serial) ?? 0) + 1
  openPages.set(serial, count)
  if (count > MAX_OPEN_PAGES) throw new AudioError('bad_audio', 'a packet of the Ogg file is too long')
  if (openPages.size > MAX_STREAMS) throw new AudioError('bad_audio', 'the Ogg file has too many streams')
}
