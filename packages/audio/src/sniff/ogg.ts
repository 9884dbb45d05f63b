import { hasText } from './ascii.ts'
import type { AudioCodec, SniffedAudio } from './types.ts'

const PAGE_HEADER_BYTES = 27
const FIRST_PACKETS: readonly [string, AudioCodec][] = [
  ['OpusHead', 'opus'],
  ['\x01vorbis', 'vorbis'],
  ['\x7fFLAC', 'flac'],
  ['Speex   ', 'speex'],
]

/** Recognises Ogg by its first page, and the codec by the packet that this page begins with. */
export function sniffOgg(head: Uint8Array): SniffedAudio | undefined {
  if (!hasText(head, 0, 'OggS') || head[4] !== 0) return undefined
  const packet = PAGE_HEADER_BYTES + (head[26] ?? 0)
  const codec = FIRST_PACKETS.find(([text]) => hasText(head, packet, text))?.[1]
  return { container: 'ogg', codec, mediaType: 'audio/ogg' }
}
