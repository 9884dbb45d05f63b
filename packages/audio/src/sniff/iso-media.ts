import { findText, hasText, readText } from './ascii.ts'
import type { AudioCodec, SniffedAudio } from './types.ts'

/** Brands of files with sound. Pictures (`avif`, `heic`, `mif1`) use the same container. */
const BRAND = /^(?:M4[ABPV] |mp4[12]|mp71|iso[m2-9]|avc1|dash|3g[pr2][0-9a-z]|qt {2}|MSNV|[fF]4[ABVPabvp] |M4VH|M4VP)$/
const PICTURE = /^(?:avi[fs]|he[ivx][a-z]|mif1|msf1|jpeg|crx )$/
const CODECS: ReadonlyMap<string, AudioCodec> = new Map([
  ['mp4a', 'aac'],
  ['alac', 'alac'],
  ['Opus', 'opus'],
  ['fLaC', 'flac'],
  ['.mp3', 'mp3'],
  ['samr', 'amr-nb'],
  ['sawb', 'amr-wb'],
  ['sowt', 'pcm'],
  ['lpcm', 'pcm'],
  ['ipcm', 'pcm'],
])
const MIN_FILE_TYPE_BYTES = 16
const MAX_FILE_TYPE_BYTES = 1024
/** From the type of a sample description box to the name of its first entry. */
const ENTRY_OFFSET = 16

/** Recognises MP4, M4A, 3GP and QuickTime by their brands. The codec shows when the index is within the head. */
export function sniffIsoMedia(head: Uint8Array): SniffedAudio | undefined {
  if (!hasText(head, 4, 'ftyp')) return undefined
  const size = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(0)
  if (size < MIN_FILE_TYPE_BYTES || size > MAX_FILE_TYPE_BYTES || size % 4 !== 0) return undefined
  const major = readText(head, 8, 4)
  const compatible: string[] = []
  for (let at = 16; at + 4 <= Math.min(size, head.length); at += 4) compatible.push(readText(head, at, 4))
  if (PICTURE.test(major) || ![major, ...compatible].some((brand) => BRAND.test(brand))) return undefined
  return { container: 'mp4', codec: findCodec(head), mediaType: 'audio/mp4' }
}

function findCodec(head: Uint8Array): AudioCodec | undefined {
  for (let at = findText(head, 'stsd'); at >= 0; at = findText(head, 'stsd', at + 4)) {
    const codec = CODECS.get(readText(head, at + ENTRY_OFFSET, 4))
    if (codec !== undefined) return codec
  }
  return undefined
}
