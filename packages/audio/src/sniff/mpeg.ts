import { hasText } from './ascii.ts'
import type { SniffedAudio } from './types.ts'

const MPEG1_LAYER2 = [0, 32, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320, 384]
const MPEG1_LAYER3 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]
const MPEG2_LAYERS = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160]
const MPEG1_RATES = [44_100, 48_000, 32_000]
const ID3_HEADER_BYTES = 10
/** Zero bytes that taggers leave between a tag and the first frame. */
const MAX_PADDING_BYTES = 4096

const MP3 = { container: 'mp3', codec: 'mp3', mediaType: 'audio/mpeg' } as const
const MP2 = { container: 'mp3', codec: 'mp2', mediaType: 'audio/mpeg' } as const
const ADTS = { container: 'adts', codec: 'aac', mediaType: 'audio/aac' } as const

/** A frame of MPEG audio or ADTS: its length, and the bits that stay the same in all frames of a stream. */
interface Frame {
  readonly lengthBytes: number
  readonly stream: number
  readonly type: SniffedAudio
}

/** Recognises MPEG audio and ADTS, with or without an ID3 tag in front. */
export function sniffMpeg(head: Uint8Array): SniffedAudio | undefined {
  if (!hasText(head, 0, 'ID3')) return sniffFrames(head, 0)
  const end = findEndOfTag(head)
  if (end === undefined) return undefined
  // The tag holds a picture and is longer than the head: only MP3 files have such tags in practice.
  if (end >= head.length) return MP3
  let start = end
  while (start < head.length && head[start] === 0 && start - end < MAX_PADDING_BYTES) start++
  if (start >= head.length) return MP3
  return sniffFrames(head, start)
}

function findEndOfTag(head: Uint8Array): number | undefined {
  const [version = 0, revision = 255, flags = 0] = head.subarray(3, 6)
  const size = head.subarray(6, ID3_HEADER_BYTES)
  if (size.length < 4 || version < 2 || version > 4 || revision === 255) return undefined
  if (size.some((byte) => byte >= 0x80)) return undefined
  const footer = (flags & 0x10) === 0 ? 0 : ID3_HEADER_BYTES
  return ID3_HEADER_BYTES + size.reduce((sum, byte) => sum * 128 + byte, 0) + footer
}

/**
 * Asks for two frames of one stream, one after the other: the eleven bits of a frame mark are found in any data. A
 * head that ends with its first frame is enough.
 */
function sniffFrames(head: Uint8Array, start: number): SniffedAudio | undefined {
  const first = readFrame(head, start)
  if (first === undefined) return undefined
  const next = start + first.lengthBytes
  if (next === head.length) return first.type
  const second = readFrame(head, next)
  return second?.stream === first.stream ? first.type : undefined
}

function readFrame(head: Uint8Array, at: number): Frame | undefined {
  if (head[at] !== 0xff || at + 6 > head.length) return undefined
  const second = head[at + 1] ?? 0
  if ((second & 0xe0) !== 0xe0) return undefined
  return (second & 0xf6) === 0xf0 ? readAdtsFrame(head, at) : readMpegFrame(head, at)
}

function readMpegFrame(head: Uint8Array, at: number): Frame | undefined {
  const [, second = 0, third = 0] = head.subarray(at, at + 3)
  const version = (second >> 3) & 3
  const layer = (second >> 1) & 3
  const isLayer3 = layer === 1
  if (version === 1 || (!isLayer3 && layer !== 2)) return undefined
  const isMpeg1 = version === 3
  const rates = isMpeg1 ? (isLayer3 ? MPEG1_LAYER3 : MPEG1_LAYER2) : MPEG2_LAYERS
  const kilobits = rates[third >> 4] ?? 0
  const baseRate = MPEG1_RATES[(third >> 2) & 3]
  if (kilobits === 0 || baseRate === undefined) return undefined
  const sampleRate = isMpeg1 ? baseRate : baseRate / (version === 2 ? 2 : 4)
  const samples = isLayer3 && !isMpeg1 ? 576 : 1152
  const lengthBytes = Math.floor((samples / 8) * ((kilobits * 1000) / sampleRate)) + ((third >> 1) & 1)
  return { lengthBytes, stream: ((second & 0xfe) << 8) | (third & 0x0c), type: isLayer3 ? MP3 : MP2 }
}

function readAdtsFrame(head: Uint8Array, at: number): Frame | undefined {
  const [, second = 0, third = 0, fourth = 0, fifth = 0, sixth = 0] = head.subarray(at, at + 6)
  const lengthBytes = ((fourth & 3) << 11) | (fifth << 3) | (sixth >> 5)
  const rateIndex = (third >> 2) & 15
  if (rateIndex > 12 || lengthBytes < 7) return undefined
  return { lengthBytes, stream: ((second & 0xfe) << 16) | ((third & 0xfd) << 8) | (fourth & 0xc0), type: ADTS }
}
