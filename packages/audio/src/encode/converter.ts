import type { SniffedAudio } from '../sniff/types.ts'
import type { AudioPieces } from '../streams/abortable.ts'

/** Formats that a converter can be asked for. */
export type ConvertedFormat = 'aac' | 'flac'

/** The samples that a converter encodes, and the form that it gives them. */
export interface ConverterEncodeOptions {
  readonly format: ConvertedFormat
  /** Samples a second, the same in input and output. */
  readonly sampleRate: number
  readonly channels: 1 | 2
  /** Bits a second. Has no meaning for `flac`. */
  readonly bitRate?: number | undefined
  readonly signal: AbortSignal
}

/** The file that a converter decodes, and the samples that it gives. */
export interface ConverterDecodeOptions {
  /** The type, as `sniffAudio` tells it. No other is tried. */
  readonly type: SniffedAudio
  /** Samples a second of the output. */
  readonly sampleRate: number
  /** Interleaved channels of the output. */
  readonly channels: 1 | 2
  /** The decoder stops after this much audio, without an error. */
  readonly maxSeconds: number
  readonly signal: AbortSignal
}

/** Does what needs a program that may not be installed. {@link createFfmpeg} makes one. */
export interface AudioConverter {
  /**
   * Looks whether the converter is there.
   *
   * @throws AudioError `converter_missing`, which names `purpose`, if it is not
   */
  require(purpose: string): Promise<void>
  /**
   * Encodes s16le samples. The first read fails before the samples are asked for if the converter is missing.
   *
   * @throws AudioError `converter_missing`, `conversion_timeout`, `audio_limit`, `bad_audio`, `converter_failed`; the
   *   signal's reason once it is aborted
   */
  encode(pcm: AudioPieces, options: ConverterEncodeOptions): AsyncIterable<Uint8Array>
  /**
   * Decodes a file to s16le samples.
   *
   * @throws AudioError as {@link AudioConverter.encode}; `bad_audio` if the file cannot be decoded
   */
  decode(file: AudioPieces, options: ConverterDecodeOptions): AsyncIterable<Uint8Array>
}
