import { encodeAudio, encodeWavHeader } from '@svc/audio'
import { float32ToALaw, float32ToMuLaw, s16ToFloat32 } from '@svc/audio/samples'
import type { MadeSound } from '../../../../inference/operations/audio/audio-operations.ts'
import type { Content } from '../../../../inference/replies/content.ts'
import { openSamples, readMadeFile, type Samples } from './samples.ts'
import { converter, type SoundWish } from './wish.ts'

type Format = NonNullable<SoundWish['format']>

const MEDIA_TYPES: Readonly<Record<Format, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
  ulaw: 'audio/basic',
  alaw: 'audio/x-alaw-basic',
}

/** Ends of file names, where they are not the name of the format. */
const EXTENSIONS: Readonly<Record<string, string>> = { 'audio/mpeg': 'mp3', 'audio/ogg': 'ogg', 'audio/mp4': 'm4a' }

/** Formats of files that say by their type alone that they need no conversion. */
const SAME: ReadonlySet<Format> = new Set(['mp3', 'aac', 'flac', 'wav'])

/** Options of the functions of this file. */
export interface SoundOptions {
  /** The name of the file that a browser saves, without its end. */
  readonly name: string
  readonly signal: AbortSignal
}

/** Gives the sound of a file that a backend has written, in the format that the client asks for. */
export async function toSoundContent(sound: MadeSound, wish: SoundWish, options: SoundOptions): Promise<Content> {
  if (isMade(sound, wish)) {
    const { mediaType, sizeBytes: length } = sound
    return { mediaType, length, headers: toHeaders(options.name, mediaType), read: () => readMadeFile(sound) }
  }
  const samples = await openSamples(sound, options.signal)
  if (wish.format === undefined || wish.format === 'wav') {
    const isSame = wish.sampleRate === undefined || wish.sampleRate === samples.sampleRate
    if (isSame) {
      samples.close?.()
      return toSoundContent(sound, {}, options)
    }
  }
  return encode(samples, { ...wish, format: wish.format ?? 'wav' }, options)
}

/** Gives live samples in the format that the client asks for. */
export function toLiveContent(samples: Samples, wish: SoundWish, options: SoundOptions): Content {
  return encode(samples, { ...wish, format: wish.format ?? 'wav' }, options)
}

/** Whether a file is what the client asks for. */
function isMade({ mediaType }: MadeSound, { format, sampleRate, bitRate }: SoundWish): boolean {
  if (sampleRate !== undefined || bitRate !== undefined) return false
  return format === undefined || (SAME.has(format) && MEDIA_TYPES[format] === mediaType)
}

function encode(
  samples: Samples,
  wish: SoundWish & { readonly format: Format },
  { name, signal }: SoundOptions,
): Content {
  const mediaType = MEDIA_TYPES[wish.format]
  return {
    mediaType,
    headers: toHeaders(name, mediaType, wish.format),
    read: () => listPieces(samples, wish, signal),
    release: samples.close,
  }
}

function listPieces(
  { pcm, sampleRate, channels }: Samples,
  { format, sampleRate: rate = sampleRate, bitRate }: SoundWish & { readonly format: Format },
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  const isRaw = format === 'pcm' || format === 'wav'
  // Live samples go on as they are.
  if (isRaw && rate === sampleRate) return format === 'pcm' ? pcm : withHeader(pcm, { sampleRate, channels })
  const common = { inputRate: sampleRate, channels, rate, bitRate, converter, signal }
  if (format === 'ulaw' || format === 'alaw') {
    return toLaw(encodeAudio(pcm, { ...common, format: 'pcm' }), format === 'ulaw' ? float32ToMuLaw : float32ToALaw)
  }
  return encodeAudio(pcm, { ...common, format })
}

async function* withHeader(
  pcm: AsyncIterable<Uint8Array>,
  form: Pick<Samples, 'sampleRate' | 'channels'>,
): AsyncGenerator<Uint8Array> {
  yield encodeWavHeader(form)
  yield* pcm
}

async function* toLaw(
  pcm: AsyncIterable<Uint8Array>,
  write: (samples: Float32Array) => Uint8Array,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pcm) yield write(s16ToFloat32(piece))
}

function toHeaders(name: string, mediaType: string, format?: Format): Readonly<Record<string, string>> {
  const end = format ?? EXTENSIONS[mediaType] ?? mediaType.replace(/^.*[/-]/, '')
  return { 'content-disposition': `attachment; filename="${name}.${end}"` }
}
