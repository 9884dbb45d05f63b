import { findText, hasText } from './ascii.ts'
import type { AudioCodec, SniffedAudio } from './types.ts'

const CODECS: readonly [string, AudioCodec][] = [
  ['A_OPUS', 'opus'],
  ['A_VORBIS', 'vorbis'],
  ['A_AAC', 'aac'],
  ['A_MPEG/L3', 'mp3'],
  ['A_MPEG/L2', 'mp2'],
  ['A_FLAC', 'flac'],
  ['A_PCM/INT', 'pcm'],
  ['A_PCM/FLOAT', 'float'],
  ['A_ALAC', 'alac'],
]
const EBML = [0x1a, 0x45, 0xdf, 0xa3]
/** The header of an EBML file is a few dozen bytes. */
const HEADER_BYTES = 128

/** Recognises WebM and Matroska by the document type in their EBML header. */
export function sniffMatroska(head: Uint8Array): SniffedAudio | undefined {
  if (EBML.some((byte, index) => head[index] !== byte)) return undefined
  const type = readDocumentType(head.subarray(0, HEADER_BYTES))
  if (type === undefined) return undefined
  const codec = CODECS.find(([name]) => findText(head, name) >= 0)?.[1]
  return { container: type, codec, mediaType: type === 'webm' ? 'audio/webm' : 'audio/x-matroska' }
}

function readDocumentType(header: Uint8Array): 'webm' | 'matroska' | undefined {
  for (let at = 4; at + 3 < header.length; at++) {
    if (header[at] !== 0x42 || header[at + 1] !== 0x82) continue
    if (header[at + 2] === 0x84 && hasText(header, at + 3, 'webm')) return 'webm'
    if (header[at + 2] === 0x88 && hasText(header, at + 3, 'matroska')) return 'matroska'
  }
  return undefined
}
