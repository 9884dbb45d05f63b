import type { MediaKind } from './attachment.ts'

/** Type of a medium, read from its first bytes. */
export interface SniffedMedia {
  readonly mediaType: string
  /** Containers for sound with or without pictures have more than one kind; the likeliest comes first. */
  readonly kinds: readonly MediaKind[]
}

/** Maximum number of bytes that {@link sniffMedia} reads. */
export const SNIFFED_BYTES = 512

type Signature = readonly [SniffedMedia, (head: Buffer) => boolean]

const image = (subtype: string): SniffedMedia => ({ mediaType: `image/${subtype}`, kinds: ['image'] })
const audio = (subtype: string): SniffedMedia => ({ mediaType: `audio/${subtype}`, kinds: ['audio'] })
const video = (subtype: string): SniffedMedia => ({ mediaType: `video/${subtype}`, kinds: ['video'] })

const hex = (bytes: string, offset = 0) => {
  const expected = Buffer.from(bytes, 'hex')
  return (head: Buffer) => head.subarray(offset, offset + expected.length).equals(expected)
}
const text = (word: string, offset = 0) => hex(Buffer.from(word, 'latin1').toString('hex'), offset)
const both = (...tests: readonly ((head: Buffer) => boolean)[]) => {
  return (head: Buffer) => tests.every((test) => test(head))
}
const brand = (pattern: RegExp) => both(text('ftyp', 4), (head) => pattern.test(head.toString('latin1', 8, 12)))

/** In the order of the checks. */
const SIGNATURES: readonly Signature[] = [
  [image('png'), hex('89504e470d0a1a0a')],
  [image('jpeg'), hex('ffd8ff')],
  [image('gif'), (head) => /^GIF8[79]a/.test(head.toString('latin1', 0, 6))],
  [image('webp'), both(text('RIFF'), text('WEBP', 8))],
  [image('bmp'), both(text('BM'), hex('00000000', 6))],
  [image('tiff'), (head) => hex('49492a00')(head) || hex('4d4d002a')(head)],
  [image('avif'), brand(/^avi[fs]/)],
  [image('heic'), brand(/^(hei[cmsx]|hev[cmsx]|mif1|msf1)/)],
  [audio('wav'), both(text('RIFF'), text('WAVE', 8))],
  [audio('flac'), text('fLaC')],
  [audio('aiff'), both(text('FORM'), (head) => /^AIF[FC]/.test(head.toString('latin1', 8, 12)))],
  [audio('amr'), text('#!AMR')],
  [audio('mpeg'), (head) => text('ID3')(head) || isMpegAudio(head)],
  [audio('aac'), (head) => head[0] === 0xff && ((head[1] ?? 0) & 0xf6) === 0xf0],
  [audio('mp4'), brand(/^M4[AB]/)],
  [{ mediaType: 'audio/ogg', kinds: ['audio', 'video'] }, text('OggS')],
  [{ mediaType: 'video/webm', kinds: ['video', 'audio'] }, hex('1a45dfa3')],
  [{ mediaType: 'video/mp4', kinds: ['video', 'audio'] }, brand(/^/)],
  [video('x-msvideo'), both(text('RIFF'), text('AVI ', 8))],
  [video('mpeg'), (head) => hex('000001ba')(head) || hex('000001b3')(head)],
  [video('mp2t'), both(hex('47'), hex('47', 188))],
  [video('x-flv'), text('FLV\u0001')],
]

/**
 * Detects the type of a medium from its first bytes only. Undefined for anything but images, sound and film. Raw
 * samples have no signature and are not recognised.
 */
export function sniffMedia(bytes: Uint8Array): SniffedMedia | undefined {
  const head = Buffer.from(bytes.subarray(0, SNIFFED_BYTES))
  return SIGNATURES.find(([, matches]) => matches(head))?.[0]
}

/** Eleven bits of frame sync, a valid layer, an allowed bit rate and a valid sample rate. */
function isMpegAudio(head: Buffer): boolean {
  const [first = 0, second = 0, third = 0] = head
  const layer = second & 0x06
  return first === 0xff && (second & 0xe0) === 0xe0 && layer !== 0 && third >> 4 !== 0x0f && (third & 0x0c) !== 0x0c
}
