import { hasText } from './ascii.ts'
import type { AudioCodec, SniffedAudio } from './types.ts'

const CODECS: ReadonlyMap<number, AudioCodec> = new Map([
  [1, 'pcm'],
  [3, 'float'],
  [6, 'alaw'],
  [7, 'mulaw'],
  [0x50, 'mp2'],
  [0x55, 'mp3'],
  [0xff, 'aac'],
])
const EXTENSIBLE = 0xfffe

/** Recognises WAV: RIFF, and RF64 or BW64, whose sizes have 64 bits. */
export function sniffWav(head: Uint8Array): SniffedAudio | undefined {
  const isRiff = hasText(head, 0, 'RIFF') || hasText(head, 0, 'RF64') || hasText(head, 0, 'BW64')
  if (!isRiff || !hasText(head, 8, 'WAVE')) return undefined
  return { container: 'wav', codec: findCodec(head), mediaType: 'audio/wav' }
}

function findCodec(head: Uint8Array): AudioCodec | undefined {
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength)
  for (let at = 12; at + 10 <= head.length; ) {
    const size = view.getUint32(at + 4, true)
    if (hasText(head, at, 'fmt ')) {
      const tag = view.getUint16(at + 8, true)
      if (tag !== EXTENSIBLE) return CODECS.get(tag)
      return at + 34 <= head.length ? CODECS.get(view.getUint16(at + 32, true)) : undefined
    }
    at += 8 + size + (size % 2)
  }
  return undefined
}
