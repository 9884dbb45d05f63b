import {
  aLawToFloat32,
  createResampler,
  float32ToALaw,
  float32ToMuLaw,
  float32ToS16,
  muLawToFloat32,
  type Resampler,
  s16ToFloat32,
} from '@svc/audio/samples'
import type { RealtimeAudioFormat } from '@svc/wire/realtime'

/** A format of sound on the wire. G.711 has 8000 samples a second. */
export type SoundFormat =
  | { readonly type: 'audio/pcm'; readonly rate: number }
  | { readonly type: 'audio/pcmu' }
  | { readonly type: 'audio/pcma' }

const G711_RATE = 8000
/** Samples a second where a client names none. */
const USUAL_RATE = 24_000

export const USUAL_FORMAT: SoundFormat = { type: 'audio/pcm', rate: USUAL_RATE }

/** Reads a format. The beta of 2024 had names for them. */
export function toSoundFormat(format: RealtimeAudioFormat | 'pcm16' | 'g711_ulaw' | 'g711_alaw'): SoundFormat {
  switch (typeof format === 'string' ? format : format.type) {
    case 'g711_ulaw':
    case 'audio/pcmu':
      return { type: 'audio/pcmu' }
    case 'g711_alaw':
    case 'audio/pcma':
      return { type: 'audio/pcma' }
    default:
      return { type: 'audio/pcm', rate: (typeof format === 'object' && (format.rate as number | null)) || USUAL_RATE }
  }
}

/** Samples a second of a format. */
export function rateOf(format: SoundFormat): number {
  return format.type === 'audio/pcm' ? format.rate : G711_RATE
}

/** Reads samples, -1..1, one channel, out of pieces that may be cut within a sample. */
export interface SoundReader {
  read(bytes: Uint8Array): Float32Array
}

/** Creates a reader of a format. */
export function createSoundReader(format: SoundFormat): SoundReader {
  if (format.type === 'audio/pcmu') return { read: muLawToFloat32 }
  if (format.type === 'audio/pcma') return { read: aLawToFloat32 }
  let odd: number | undefined
  return {
    read(bytes) {
      if (odd === undefined && bytes.length % 2 === 0) return s16ToFloat32(bytes)
      const whole = new Uint8Array(bytes.length + (odd === undefined ? 0 : 1))
      if (odd !== undefined) whole[0] = odd
      whole.set(bytes, odd === undefined ? 0 : 1)
      odd = whole.length % 2 === 1 ? whole.at(-1) : undefined
      return s16ToFloat32(whole)
    },
  }
}

/** Writes samples of any rate in a format. */
export interface SoundWriter {
  write(samples: Float32Array, sampleRate: number): Uint8Array
  /** Gives what is left of the last samples. */
  end(): Uint8Array
}

/** Creates a writer of a format. */
export function createSoundWriter(format: SoundFormat): SoundWriter {
  const resample = createRateChange(rateOf(format))
  const encode =
    format.type === 'audio/pcm' ? float32ToS16 : format.type === 'audio/pcmu' ? float32ToMuLaw : float32ToALaw
  return {
    write: (samples, sampleRate) => encode(resample.push(samples, sampleRate)),
    end: () => encode(resample.end()),
  }
}

/** Brings sound to one rate, whose own rate may change on the way. */
export interface RateChange {
  push(samples: Float32Array, sampleRate: number): Float32Array
  end(): Float32Array
}

/** Creates a change to a rate. */
export function createRateChange(outputRate: number): RateChange {
  let rate = outputRate
  let resampler: Resampler | undefined
  return {
    push(samples, sampleRate) {
      if (sampleRate !== rate) {
        rate = sampleRate
        resampler = sampleRate === outputRate ? undefined : createResampler({ inputRate: sampleRate, outputRate })
      }
      return resampler === undefined ? samples : resampler.push(samples)
    },
    end() {
      const rest = resampler?.end() ?? new Float32Array(0)
      resampler = undefined
      rate = outputRate
      return rest
    },
  }
}
