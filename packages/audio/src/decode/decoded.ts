import type { AudioPieces } from '../streams/abortable.ts'

/** Decoded samples, the channels apart and of one length. */
export interface DecodedPiece {
  /** Samples a second. It may change within a file. */
  readonly sampleRate: number
  readonly channels: readonly Float32Array[]
}

/** Facts that a decoder may use. */
export interface DecodeOptions {
  /** The rate that the reader wants. Decoders that can give it do. */
  readonly sampleRate: number
  readonly signal?: AbortSignal | undefined
}

/** Decodes a file, in pieces. @throws AudioError `bad_audio`, `unsupported_audio` */
export type Decode = (file: AudioPieces, options: DecodeOptions) => AsyncGenerator<DecodedPiece>
