import type { MediaKind } from './attachment.ts'

/** What the first bytes of a medium tell. */
export interface SniffedMedia {
  readonly mediaType: string
  /** More than one for containers that hold sound with pictures or without; the likeliest first. */
  readonly kinds: readonly MediaKind[]
}

/** How many bytes {@link sniffMedia} looks at, at most. */
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

/** In the order in which they are tried. */
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
 * What a medium is, by its first bytes and nothing else; undefined for anything that is no image, sound or film, text
 * included. Raw samples have no mark and are not known either.
 */
export function sniffMedia(bytes: Uint8Array): SniffedMedia | undefined {
  const head = Buffer.from(bytes.subarray(0, SNIFFED_BYTES))
  return SIGNATURES.find(([, matches]) => matches(head))?.[0]
}

/** Eleven bits of frame sync, then a layer that exists, a bit rate that is not forbidden, a rate of samples. */
function isMpegAudio(head: Buffer): boolean {
  const [first = 0, second = 0, third = 0] = head
  const layer = second & 0x06
  return first === 0xff && (second & 0xe0) === 0xe0 && layer !== 0 && third >> 4 !== 0x0f && (third & 0x0c) !== 0x0c
}
