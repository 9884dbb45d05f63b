import { CRC8 } from './crc.ts'

/** Head of a FLAC frame, as far as the search for its end needs it. */
export interface FrameHead {
  /** Bytes of the head. */
  readonly length: number
  /** Bytes that the whole frame has at most. */
  readonly maxBytes: number
}

/** Bytes of the longest head. */
export const MAX_HEAD_BYTES = 16
/** Bytes of the longest frame that is read: 65,535 samples of two channels of 24 bits have less. */
const MAX_FRAME_BYTES = 512 * 1024

/** Most samples of a channel by the code. Codes 6 and 7 have the number behind the head, in one byte or two. */
const BLOCK_SIZES: readonly number[] = [
  ...[0, 192, 576, 1152, 2304, 4608, 256, 65_536],
  ...[256, 512, 1024, 2048, 4096, 8192, 16_384, 32_768],
]
/** Bits of a sample by the code; code 0 leaves them to the head of the stream. */
const SAMPLE_BITS: readonly number[] = [32, 8, 12, 0, 16, 20, 24, 32]

/** Reads the head that begins at a place. Undefined where there is none, or not all of it. */
export function readFrameHead(bytes: Uint8Array, at: number): FrameHead | undefined {
  const [mark, kind, codes = 0, layout = 0] = bytes.subarray(at, at + 4)
  if (mark !== 0xff || (kind !== 0xf8 && kind !== 0xf9)) return undefined
  const [blockCode, rateCode] = [codes >> 4, codes & 15]
  const [channelCode, bits = 0] = [layout >> 4, SAMPLE_BITS[(layout >> 1) & 7]]
  const isReserved = blockCode === 0 || rateCode === 15 || channelCode > 10 || bits === 0 || (layout & 1) === 1
  if (isReserved) return undefined
  const numberBytes = countNumberBytes(bytes[at + 4] ?? 0xff)
  if (numberBytes === undefined) return undefined
  const sizeBytes = blockCode === 6 ? 1 : blockCode === 7 ? 2 : 0
  const rateBytes = rateCode === 12 ? 1 : rateCode === 13 || rateCode === 14 ? 2 : 0
  const length = 4 + numberBytes + sizeBytes + rateBytes + 1
  if (at + length > bytes.length || !hasRightCheck(bytes.subarray(at, at + length))) return undefined
  const channels = channelCode > 7 ? 2 : channelCode + 1
  const samples = BLOCK_SIZES[blockCode] ?? 0
  return { length, maxBytes: Math.min(MAX_FRAME_BYTES, findMaxBytes(samples, channels, bits)) }
}

/** The number of a frame has the coding of UTF-8, of up to 36 bits. */
function countNumberBytes(first: number): number | undefined {
  if (first < 0x80) return 1
  const ones = Math.clz32(~first << 24)
  return ones < 2 || ones > 7 ? undefined : ones
}

function hasRightCheck(head: Uint8Array): boolean {
  return head.reduce((crc, byte) => CRC8[crc ^ byte] ?? 0, 0) === 0
}

/** Samples as they are, of a channel that may have a bit more; a quarter is left for bad encoders. */
function findMaxBytes(samples: number, channels: number, bits: number): number {
  return 256 + Math.ceil((channels * samples * (bits + 1) * 1.25) / 8)
}
