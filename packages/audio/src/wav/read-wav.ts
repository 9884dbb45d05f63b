import { checkLimit, checkOptions, checkPieces } from '../check-entries.ts'
import { AudioError } from '../errors.ts'
import { hasText, readText } from '../sniff/ascii.ts'
import type { AudioPieces } from '../streams/abortable.ts'
import { ByteReader } from '../streams/byte-reader.ts'
import { type ClosingStream, closing } from '../streams/closing.ts'
import { joinBytes } from '../streams/join-bytes.ts'
import { createSlices } from '../streams/slices.ts'
import { toFloat32 } from './sample-formats.ts'
import { parseWavFormat, type WavFormat, type WavHeader } from './wav-header.ts'

/** Options of {@link readWavHeader} and {@link readWav}. */
export interface ReadWavOptions {
  readonly signal?: AbortSignal | undefined
  /** Bytes before the samples: tags and pictures may come first. @default 16 MiB */
  readonly maxHeaderBytes?: number | undefined
}

/** A WAV file whose header has been read. */
export interface WavFile {
  readonly header: WavHeader
  /**
   * The samples as the file has them, in pieces of whole frames. It ends with the samples; an incomplete frame at the
   * end of the file is left out. To be read once; leaving it early ends the source.
   */
  readonly data: ClosingStream<Uint8Array>
}

/** A WAV file with decoded samples. */
export interface WavSamples {
  readonly header: WavHeader
  /** Interleaved floats in -1 ≤ x ≤ 1 (floats of the file as they are, at most 10), in pieces of whole frames. */
  readonly samples: ClosingStream<Float32Array>
}

const MAX_HEADER_BYTES = 16 * 1024 * 1024
const MAX_FORMAT_BYTES = 1024
const CHUNK_HEADER_BYTES = 8
const MAX_CHUNKS = 10_000
const UNKNOWN_SIZE = 0xffff_ffff
const PIECE_BYTES = 64 * 1024

/**
 * Reads the header of a WAV file (RIFF, RF64 or BW64; integers of 8 to 32 bits, floats of 32 and 64 bits, A-law,
 * mu-law) from a stream and leaves the samples for the caller.
 *
 * Sizes that a writer did not know (`0xFFFFFFFF`, or 0 in a file that goes on) mean the rest of the stream, and a file
 * may have fewer samples than it declares. Chunks of other types are stepped over.
 *
 * @param pieces the file from its first byte, in pieces of any length
 * @throws AudioError `bad_audio` if it is not a WAV file, is cut off before its samples or contradicts itself;
 *   `unsupported_audio` for other codecs; `audio_limit` if the samples begin after `maxHeaderBytes`; the signal's
 *   reason once it is aborted. SvcError `invalid_argument` for arguments of another type
 */
export async function readWavHeader(pieces: AudioPieces, options: ReadWavOptions = {}): Promise<WavFile> {
  checkOptions('readWavHeader', options)
  const { signal, maxHeaderBytes = MAX_HEADER_BYTES } = options
  checkPieces('readWavHeader: pieces', pieces)
  checkLimit(maxHeaderBytes, 'readWavHeader: maxHeaderBytes')
  const reader = new ByteReader(pieces, signal)
  try {
    const header = await readChunks(reader, maxHeaderBytes)
    return { header, data: closing(readData(reader, header), () => reader.close()) }
  } catch (error) {
    await reader.close()
    throw error
  }
}

/**
 * Reads a WAV file from a stream as floats.
 *
 * @throws AudioError as {@link readWavHeader} does; the same while the samples are read
 * @example
 * const { header, samples } = await readWav(upload, { signal })
 * const resampler = createResampler({ inputRate: header.sampleRate, outputRate: 16_000, channels: header.channels })
 * for await (const piece of samples) recogniser.accept(resampler.push(piece))
 */
export async function readWav(pieces: AudioPieces, options?: ReadWavOptions): Promise<WavSamples> {
  const { header, data } = await readWavHeader(pieces, options)
  return { header, samples: closing(decode(data, header, options?.signal), async () => void (await data.return?.())) }
}

async function* decode(
  data: AsyncIterable<Uint8Array>,
  header: WavHeader,
  signal: AbortSignal | undefined,
): AsyncGenerator<Float32Array> {
  const slices = createSlices(signal)
  for await (const bytes of data) {
    yield toFloat32(bytes, header.sampleFormat)
    await slices.breathe()
  }
}

async function readChunks(reader: ByteReader, maxHeaderBytes: number): Promise<WavHeader> {
  const riff = await reader.read(12)
  const is64 = hasText(riff, 0, 'RF64') || hasText(riff, 0, 'BW64')
  if ((!is64 && !hasText(riff, 0, 'RIFF')) || !hasText(riff, 8, 'WAVE')) {
    throw new AudioError('bad_audio', 'the audio is not a WAV file')
  }
  let format: WavFormat | undefined
  let longDataBytes: number | undefined
  for (let count = 0; count < MAX_CHUNKS; count++) {
    const { id, size } = await readChunkHeader(reader)
    if (id === 'data') {
      if (format === undefined) throw new AudioError('bad_audio', 'the WAV file has no format before its samples')
      return { ...format, dataBytes: findDataBytes(size, { is64, longDataBytes }) }
    }
    if (reader.position + size > maxHeaderBytes) {
      throw new AudioError('audio_limit', `the samples of the WAV file begin after ${maxHeaderBytes} bytes`)
    }
    const wanted = id === 'fmt ' || id === 'ds64' ? Math.min(size, MAX_FORMAT_BYTES) : 0
    const body = await reader.read(wanted)
    const rest = size + (size % 2) - wanted
    if (body.length < wanted || (await reader.skip(rest)) < rest) throw cutOff()
    if (id === 'fmt ') format = parseWavFormat(body)
    if (id === 'ds64') longDataBytes = parseLongDataBytes(body)
  }
  throw new AudioError('bad_audio', `the WAV file has more than ${MAX_CHUNKS} chunks before its samples`)
}

async function readChunkHeader(reader: ByteReader): Promise<{ readonly id: string; readonly size: number }> {
  const bytes = await reader.read(CHUNK_HEADER_BYTES)
  if (bytes.length < CHUNK_HEADER_BYTES) throw cutOff()
  return { id: readText(bytes, 0, 4), size: new DataView(bytes.buffer).getUint32(4, true) }
}

function cutOff(): AudioError {
  return new AudioError('bad_audio', 'the WAV file is cut off before its samples')
}

/** The size of the samples in a `ds64` chunk; undefined if it is out of range, as writers of unknown lengths leave it. */
function parseLongDataBytes(body: Uint8Array): number | undefined {
  if (body.length < 16) throw new AudioError('bad_audio', 'the WAV header is cut off')
  const size = new DataView(body.buffer, body.byteOffset, body.byteLength).getBigUint64(8, true)
  return size > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : Number(size)
}

function findDataBytes(
  size: number,
  { is64, longDataBytes }: { readonly is64: boolean; readonly longDataBytes: number | undefined },
): number | undefined {
  const known = is64 && size === UNKNOWN_SIZE ? longDataBytes : size
  return known === UNKNOWN_SIZE || known === 0 ? undefined : known
}

/** Passes on whole frames, up to the declared size. */
async function* readData(reader: ByteReader, header: WavHeader): AsyncGenerator<Uint8Array> {
  const { frameBytes, dataBytes = Number.MAX_SAFE_INTEGER } = header
  const pieceBytes = Math.max(frameBytes, PIECE_BYTES - (PIECE_BYTES % frameBytes))
  let left = dataBytes - (dataBytes % frameBytes)
  try {
    while (left > 0) {
      // Nothing is waited for beyond the first piece that has a whole frame.
      const some = await reader.readSome(Math.min(left, pieceBytes))
      if (some.length === 0) return
      const missing = (frameBytes - (some.length % frameBytes)) % frameBytes
      const piece = missing === 0 ? some : joinBytes(some, await reader.read(missing))
      left -= piece.length
      const whole = piece.length - (piece.length % frameBytes)
      if (whole > 0) yield piece.subarray(0, whole)
      if (whole < piece.length) return
    }
  } finally {
    await reader.close()
  }
}
