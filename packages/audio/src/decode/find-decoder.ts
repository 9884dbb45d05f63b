import type { SniffedAudio } from '../sniff/types.ts'
import type { Decoder } from './decoder.ts'

/** Frames of MP3 have 24 bytes and 576 samples at least. */
const MP3_PIECE_BYTES = 8 * 1024
/** A frame of silent FLAC has about 14 bytes and up to 65,535 samples of 8 channels. */
const FLAC_PIECE_BYTES = 1024

/** The codec for a type of file, which is loaded on first use; undefined where only a converter reads the type. */
export function findDecoder({ codec }: SniffedAudio): (() => Promise<Decoder>) | undefined {
  if (codec === 'mp3') return openMp3
  return codec === 'flac' ? openFlac : undefined
}

async function openMp3(): Promise<Decoder> {
  const { MPEGDecoder } = await import('mpg123-decoder')
  const decoder = new MPEGDecoder()
  await decoder.ready
  return {
    pieceBytes: MP3_PIECE_BYTES,
    push: (bytes) => toPiece(decoder.decode(bytes)),
    end: async () => undefined,
    close: () => decoder.free(),
  }
}

async function openFlac(): Promise<Decoder> {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac')
  const decoder = new FLACDecoder()
  await decoder.ready
  return {
    pieceBytes: FLAC_PIECE_BYTES,
    push: async (bytes) => toPiece(await decoder.decode(bytes)),
    end: async () => toPiece(await decoder.flush()),
    close: () => decoder.free(),
  }
}

interface Decoded {
  readonly sampleRate: number
  readonly samplesDecoded: number
  readonly channelData: readonly Float32Array[]
}

function toPiece({ sampleRate, samplesDecoded, channelData }: Decoded) {
  return { sampleRate, channels: samplesDecoded === 0 ? [] : channelData }
}
