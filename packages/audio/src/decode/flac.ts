import type { Decode } from './decoded.ts'
import { shortPieces } from './short-pieces.ts'

/** A frame of silence has some 14 bytes and up to 65,535 samples of eight channels. */
const PIECE_BYTES = 1024

/** Decodes FLAC by libFLAC. Frames that are damaged are left out. */
export const decodeFlac: Decode = async function* (file) {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac')
  const decoder = new FLACDecoder()
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
