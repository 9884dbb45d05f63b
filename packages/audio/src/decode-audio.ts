import { decodeFile } from './decode/decode-file.ts'
import { findDecoder } from './decode/find-decoder.ts'
import type { AudioConverter } from './encode/converter.ts'
import { AudioError } from './errors.ts'
import { mixChannels } from './samples/mix-channels.ts'
import { createResampler } from './samples/resampler.ts'
import { s16ToFloat32 } from './samples/s16.ts'
import { SNIFF_BYTES, sniffAudio } from './sniff/sniff-audio.ts'
import type { SniffedAudio } from './sniff/types.ts'
import type { AudioPieces } from './streams/abortable.ts'
import { ByteReader } from './streams/byte-reader.ts'
import { type ClosingStream, closing } from './streams/closing.ts'
import { readWav } from './wav/read-wav.ts'

/** Options of {@link decodeAudio}. */
export interface DecodeAudioOptions {
  /** Samples a second of the output, an integer in 4000..192000. @default 16,000 */
  readonly sampleRate?: number | undefined
  /** Audio that is decoded at most; a longer file is refused. @default 14,400, which is four hours */
  readonly maxSeconds?: number | undefined
  /** Decodes everything but WAV files of the usual codecs, MP3 and FLAC. Without it, other files are refused. */
  readonly converter?: AudioConverter | undefined
  readonly signal?: AbortSignal | undefined
}

const MAX_SECONDS = 14_400
const SPEECH_RATE = 16_000
/** Codecs of WAV files that {@link readWav} reads. */
const WAV_CODECS: ReadonlySet<string | undefined> = new Set(['pcm', 'float', 'alaw', 'mulaw'])

/**
 * Decodes an audio file of any known type to mono floats. The type is told by the bytes. WAV files of the usual
 * codecs, MP3 and FLAC need nothing else; the converter reads all other files.
 *
 * @param file the file from its first byte, in pieces of any length
 * @returns samples in -1 ≤ x ≤ 1 (floats of a WAV file as they are), in pieces; leaving early ends the source
 * @throws AudioError `unsupported_audio` if the type is not known; `converter_missing` if only the converter reads it;
 *   `bad_audio` if the file is damaged; `audio_limit` beyond `maxSeconds`; the signal's reason once it is aborted. All
 *   of them while the samples are read
 * @example
 * for await (const samples of decodeAudio(upload, { converter: createFfmpeg(), signal })) recogniser.accept(samples)
 */
export function decodeAudio(file: AudioPieces, options: DecodeAudioOptions = {}): ClosingStream<Float32Array> {
  const { sampleRate = SPEECH_RATE, maxSeconds = MAX_SECONDS, signal } = options
  // Refuses a rate out of range before anything is read.
  createResampler({ inputRate: SPEECH_RATE, outputRate: sampleRate })
  const reader = new ByteReader(file, signal)
  const samples = limit(decode(reader, { ...options, sampleRate, maxSeconds }), sampleRate * maxSeconds)
  return closing(samples, () => reader.close())
}

interface DecodeContext extends DecodeAudioOptions {
  readonly sampleRate: number
  readonly maxSeconds: number
}

async function* decode(reader: ByteReader, context: DecodeContext): AsyncGenerator<Float32Array> {
  try {
    const head = await reader.read(SNIFF_BYTES)
    const type = sniffAudio(head)
    if (type === undefined) throw new AudioError('unsupported_audio', 'the file is not audio of a known type')
    const file = chain(head, reader)
    // Without a converter, the reader names the codec that it refuses.
    const isOwn = type.container === 'wav' && (WAV_CODECS.has(type.codec) || context.converter === undefined)
    const decoder = findDecoder(type)
    if (isOwn) yield* decodeWav(file, context)
    else if (decoder !== undefined) yield* decodeFile(file, decoder, context)
    else yield* convert(file, type, context)
  } finally {
    await reader.close()
  }
}

async function* decodeWav(file: AudioPieces, { sampleRate, signal }: DecodeContext): AsyncGenerator<Float32Array> {
  const { header, samples } = await readWav(file, { signal })
  const resampler = createResampler({ inputRate: header.sampleRate, outputRate: sampleRate })
  for await (const piece of samples) {
    yield resampler.push(mixChannels(piece, { from: header.channels, to: 1 }))
  }
  yield resampler.end()
}

async function* convert(
  file: AudioPieces,
  type: SniffedAudio,
  { converter, sampleRate, maxSeconds, signal = new AbortController().signal }: DecodeContext,
): AsyncGenerator<Float32Array> {
  if (converter === undefined) {
    throw new AudioError('converter_missing', `${type.codec ?? type.container} needs ffmpeg`)
  }
  let kept = new Uint8Array(0)
  // A second more than allowed, so that a longer file is refused and not cut.
  const options = { type, sampleRate, channels: 1, maxSeconds: maxSeconds + 1, signal } as const
  for await (const piece of converter.decode(file, options)) {
    const bytes = kept.length === 0 ? piece : new Uint8Array([...kept, ...piece])
    const whole = bytes.length - (bytes.length % 2)
    kept = bytes.slice(whole)
    yield s16ToFloat32(bytes.subarray(0, whole))
  }
}

/** Leaves empty pieces out, and refuses more samples than allowed. */
async function* limit(samples: AsyncIterable<Float32Array>, maxSamples: number): AsyncGenerator<Float32Array> {
  let count = 0
  for await (const piece of samples) {
    count += piece.length
    if (count > maxSamples) throw new AudioError('audio_limit', 'the audio is too long')
    if (piece.length > 0) yield piece
  }
}

async function* chain(head: Uint8Array, reader: ByteReader): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  for (;;) {
    const piece = await reader.readSome(64 * 1024)
    if (piece.length === 0) return
    yield piece
  }
}
