import { CRC8, CRC16 } from '../../flac/crc.ts'
import { roundToS16 } from '../../samples/s16.ts'
import type { Encoder, EncoderOptions } from '../encoder.ts'
import { BitWriter } from './bit-writer.ts'
import { chooseSubframe, type Subframe } from './subframe.ts'

const BLOCK_FRAMES = 4096
const SAMPLE_BITS = 16
const LEFT_RIGHT = 1
const MID_SIDE = 10
const SIXTEEN_BITS = 4
const BLOCK_SIZE_4096 = 12
const BLOCK_SIZE_IN_HEADER = 7
/** Codes of sample rates. Other rates follow the code: a frame is then complete without the header of the stream. */
const RATE_CODES: Readonly<Record<number, number>> = {
  88200: 1,
  176400: 2,
  192000: 3,
  8000: 4,
  16000: 5,
  22050: 6,
  24000: 7,
  32000: 8,
  44100: 9,
  48000: 10,
  96000: 11,
}
const RATE_OF_STREAM = { code: 0, value: 0, bits: 0 }

/**
 * Encodes to FLAC (RFC 9639) with 16 bits, without loss: fixed predictors and Rice codes. The header declares neither
 * the length nor a checksum of all samples, because a stream does not know them at its beginning.
 */
export function createFlacEncoder({ sampleRate, channels }: EncoderOptions): Encoder {
  const block = new Int32Array(BLOCK_FRAMES * channels)
  let filled = 0
  let frames = 0
  let header: readonly Uint8Array[] = [writeStreamInfo(sampleRate, channels)]
  const takeHeader = (): Uint8Array[] => {
    const taken = [...header]
    header = []
    return taken
  }
  const encodeBlock = (): Uint8Array => {
    const bytes = encodeFrame(block.subarray(0, filled), { channels, sampleRate, number: frames++ })
    filled = 0
    return bytes
  }
  return {
    push(samples) {
      const output = takeHeader()
      for (const sample of samples) {
        block[filled++] = roundToS16(sample)
        if (filled === block.length) output.push(encodeBlock())
      }
      return output
    },
    end: () => (filled === 0 ? takeHeader() : [...takeHeader(), encodeBlock()]),
    close: () => undefined,
  }
}

function writeStreamInfo(sampleRate: number, channels: number): Uint8Array {
  const writer = new BitWriter()
  for (const byte of new TextEncoder().encode('fLaC')) writer.write(byte, 8)
  // The one block of metadata, of 34 bytes.
  writer.write(0x80, 8)
  writer.write(34, 24)
  writer.write(BLOCK_FRAMES, 16)
  writer.write(BLOCK_FRAMES, 16)
  // Sizes of frames: not known.
  writer.write(0, 24)
  writer.write(0, 24)
  writer.write(sampleRate, 20)
  writer.write(channels - 1, 3)
  writer.write(SAMPLE_BITS - 1, 5)
  // Length and checksum: not known.
  for (let bytes = 0; bytes < 20; bytes++) writer.write(0, bytes === 0 ? 4 : 8)
  writer.write(0, 8)
  return writer.bytes.slice(0, 42)
}

function encodeFrame(
  samples: Int32Array,
  { channels, sampleRate, number }: { readonly channels: number; readonly sampleRate: number; readonly number: number },
): Uint8Array {
  const rate = encodeRate(sampleRate)
  const { assignment, subframes } = chooseChannels(samples, channels)
  const frames = samples.length / channels
  const writer = new BitWriter()
  // The mark of a frame, with blocks of one size.
  writer.write(0xfff8, 16)
  writer.write(frames === BLOCK_FRAMES ? BLOCK_SIZE_4096 : BLOCK_SIZE_IN_HEADER, 4)
  writer.write(rate.code, 4)
  writer.write(assignment, 4)
  writer.write(SIXTEEN_BITS << 1, 4)
  for (const byte of encodeNumber(number)) writer.write(byte, 8)
  if (frames !== BLOCK_FRAMES) writer.write(frames - 1, 16)
  writer.write(rate.value, rate.bits)
  writer.write(
    writer.bytes.reduce((crc, byte) => CRC8[crc ^ byte] ?? 0, 0),
    8,
  )
  for (const subframe of subframes) subframe.write(writer)
  writer.align()
  writer.write(
    writer.bytes.reduce((crc, byte) => ((crc << 8) & 0xffff) ^ (CRC16[(crc >> 8) ^ byte] ?? 0), 0),
    16,
  )
  return writer.bytes.slice()
}

function encodeRate(rate: number): { readonly code: number; readonly value: number; readonly bits: number } {
  const code = RATE_CODES[rate]
  if (code !== undefined) return { code, value: 0, bits: 0 }
  if (rate < 0x1_0000) return { code: 13, value: rate, bits: 16 }
  return rate % 10 === 0 ? { code: 14, value: rate / 10, bits: 16 } : RATE_OF_STREAM
}

/** Left and right as they are, or their mean and difference, whichever is shorter. */
function chooseChannels(
  samples: Int32Array,
  channels: number,
): { readonly assignment: number; readonly subframes: readonly Subframe[] } {
  if (channels === 1) return { assignment: 0, subframes: [chooseSubframe(samples, SAMPLE_BITS)] }
  const frames = samples.length / 2
  const left = Int32Array.from({ length: frames }, (_, index) => samples[2 * index] ?? 0)
  const right = Int32Array.from({ length: frames }, (_, index) => samples[2 * index + 1] ?? 0)
  const mid = left.map((sample, index) => (sample + (right[index] ?? 0)) >> 1)
  const side = left.map((sample, index) => sample - (right[index] ?? 0))
  const apart = [chooseSubframe(left, SAMPLE_BITS), chooseSubframe(right, SAMPLE_BITS)]
  const joint = [chooseSubframe(mid, SAMPLE_BITS), chooseSubframe(side, SAMPLE_BITS + 1)]
  return sumBits(joint) < sumBits(apart)
    ? { assignment: MID_SIDE, subframes: joint }
    : { assignment: LEFT_RIGHT, subframes: apart }
}

function sumBits(subframes: readonly Subframe[]): number {
  return subframes.reduce((sum, { sizeBits }) => sum + sizeBits, 0)
}

/** A frame number in the coding of UTF-8, which reaches 2^31 here. */
function encodeNumber(number: number): readonly number[] {
  if (number < 0x80) return [number]
  const tail: number[] = []
  let left = number
  let limit = 0x40
  while (left >= limit) {
    tail.unshift(0x80 | (left & 0x3f))
    left = Math.floor(left / 0x40)
    limit = 0x40 >> tail.length
  }
  return [((0xff00 >> (tail.length + 1)) & 0xff) | left, ...tail]
}
