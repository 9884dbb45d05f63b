import type { SniffedAudio } from '../sniff/types.ts'
import type { Decode } from './decoded.ts'

const DECODERS: Readonly<Record<string, () => Promise<Decode>>> = {
  'mp3/mp3': async () => (await import('./mp3.ts')).decodeMp3,
  'flac/flac': async () => (await import('./flac.ts')).decodeFlac,
  'ogg/vorbis': async () => (await import('./vorbis.ts')).decodeVorbis,
  'ogg/opus': async () => (await import('./ogg-opus.ts')).decodeOggOpus,
  'webm/opus': async () => (await import('./webm-opus.ts')).decodeWebmOpus,
  'matroska/opus': async () => (await import('./webm-opus.ts')).decodeWebmOpus,
}

/** Finds the decoder of a type of file. Undefined where there is none: only a converter reads it. */
export async function findDecoder({ container, codec }: SniffedAudio): Promise<Decode | undefined> {
  return await DECODERS[`${container}/${codec}`]?.()
}
