import { checkArgument, isTypedArray } from '@svc/errors'
import { hasText } from './ascii.ts'
import { sniffIsoMedia } from './iso-media.ts'
import { sniffMatroska } from './matroska.ts'
import { sniffMpeg } from './mpeg.ts'
import { sniffOgg } from './ogg.ts'
import { sniffWav } from './riff.ts'
import type { SniffedAudio } from './types.ts'

/** Bytes that {@link sniffAudio} needs to recognise every format, in most files with the codec. */
export const SNIFF_BYTES = 4096

/** More bytes tell nothing more, and cost time. */
const MAX_HEAD_BYTES = 64 * 1024

const ASF = [0x30, 0x26, 0xb2, 0x75, 0x8e, 0x66, 0xcf, 0x11, 0xa6, 0xd9, 0x00, 0xaa, 0x00, 0x62, 0xce, 0x6c]

const SNIFFERS: readonly ((head: Uint8Array) => SniffedAudio | undefined)[] = [
  sniffWav,
  sniffOgg,
  sniffIsoMedia,
  sniffMatroska,
  sniffFlac,
  sniffAiff,
  sniffAmr,
  sniffCaf,
  sniffAsf,
  // The last: its marks are the weakest.
  sniffMpeg,
]

/**
 * Recognises the type of an audio file by its first bytes. Names and declared types say nothing: a playlist with the
 * name of a song would let a decoder open other files.
 *
 * @param head the first bytes of the file; {@link SNIFF_BYTES} of them are enough, and fewer may leave an MP3 file
 *   without a tag unrecognised
 * @returns undefined for everything else: text, playlists, pictures, archives, raw samples, and files whose first
 *   bytes are of another type
 * @throws SvcError `invalid_argument` if `head` is not a Uint8Array
 * @example
 * sniffAudio(upload.subarray(0, SNIFF_BYTES))?.container // 'mp3'
 */
export function sniffAudio(head: Uint8Array): SniffedAudio | undefined {
  checkArgument(isTypedArray(head, 'Uint8Array'), 'sniffAudio: head', 'a Uint8Array', head)
  const bytes = head.subarray(0, MAX_HEAD_BYTES)
  for (const sniff of SNIFFERS) {
    const found = sniff(bytes)
    if (found !== undefined) return found
  }
  return undefined
}

function sniffFlac(head: Uint8Array): SniffedAudio | undefined {
  // The first block is the stream information, of 34 bytes; its type may have the bit of the last block.
  if (!hasText(head, 0, 'fLaC') || ((head[4] ?? 1) & 0x7f) !== 0 || head[7] !== 34) return undefined
  return { container: 'flac', codec: 'flac', mediaType: 'audio/flac' }
}

function sniffAiff(head: Uint8Array): SniffedAudio | undefined {
  if (!hasText(head, 0, 'FORM')) return undefined
  if (hasText(head, 8, 'AIFF')) return { container: 'aiff', codec: 'pcm', mediaType: 'audio/aiff' }
  return hasText(head, 8, 'AIFC') ? { container: 'aiff', codec: undefined, mediaType: 'audio/aiff' } : undefined
}

function sniffAmr(head: Uint8Array): SniffedAudio | undefined {
  if (hasText(head, 0, '#!AMR\n')) return { container: 'amr', codec: 'amr-nb', mediaType: 'audio/amr' }
  if (hasText(head, 0, '#!AMR-WB\n')) return { container: 'amr', codec: 'amr-wb', mediaType: 'audio/amr-wb' }
  return undefined
}

function sniffCaf(head: Uint8Array): SniffedAudio | undefined {
  if (!hasText(head, 0, 'caff\x00\x01')) return undefined
  return { container: 'caf', codec: undefined, mediaType: 'audio/x-caf' }
}

function sniffAsf(head: Uint8Array): SniffedAudio | undefined {
  if (ASF.some((byte, index) => head[index] !== byte)) return undefined
  return { container: 'asf', codec: undefined, mediaType: 'audio/x-ms-wma' }
}
