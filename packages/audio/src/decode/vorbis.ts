import type { Decode } from './decoded.ts'
import { shortPieces } from './short-pieces.ts'

/** A packet of silence has one byte and up to 4,096 samples of each channel. */
const PIECE_BYTES = 1024

/** Decodes Vorbis in Ogg by libvorbis. Packets that are damaged are left out. */
export const decodeVorbis: Decode = async function* (file) {
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis')
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  try {
    for await (const piece of shortPieces(file, PIECE_BYTES)) {
      const { channelData: channels, sampleRate, samplesDecoded } = await decoder.decode(piece)
      if (samplesDecoded > 0) yield { sampleRate, channels }
    }
    const { channelData: channels, sampleRate, samplesDecoded } = await decoder.flush()
    if (samplesDecoded > 0) yield { sampleRate, channels }
  } finally {
    decoder.free()
  }
}
