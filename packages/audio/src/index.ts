/**
 * Audio files and streams: recognised by their bytes, read, resampled and encoded, in pieces and within bounds.
 *
 * @module
 */

// Decoding
export { type DecodeAudioOptions, decodeAudio } from './decode-audio.ts'
// Encoding
export type {
  AudioConverter,
  ConvertedFormat,
  ConverterDecodeOptions,
  ConverterEncodeOptions,
} from './encode/converter.ts'
export {
  AUDIO_FORMATS,
  type AudioFormat,
  type EncodeAudioOptions,
  encodeAudio,
  findEncodedRate,
} from './encode/encode-audio.ts'
// Errors
export { AudioError, type AudioErrorCode } from './errors.ts'
export { createFfmpeg, type FfmpegOptions } from './ffmpeg/create-ffmpeg.ts'
// Types of files
export { SNIFF_BYTES, sniffAudio } from './sniff/sniff-audio.ts'
export type { AudioCodec, AudioContainer, SniffedAudio } from './sniff/types.ts'
export type { AudioPieces } from './streams/abortable.ts'
export type { ClosingStream } from './streams/closing.ts'
// WAV
export { encodeWavHeader, type WavHeaderOptions } from './wav/encode-wav-header.ts'
export { type ReadWavOptions, readWav, readWavHeader, type WavFile, type WavSamples } from './wav/read-wav.ts'
export type { WavHeader, WavSampleFormat } from './wav/wav-header.ts'
