import type { Encoder, EncoderOptions } from './encoder.ts'

/** The rates of MPEG 2.5, 2 and 1. */
export const MP3_RATES = [8000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as const

const KILOBITS = [8, 16, 24, 32, 40, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320] as const
type Kilobits = (typeof KILOBITS)[number]
/** The bit rates of each version of MPEG audio. */
const MPEG25_MAX_KILOBITS = 64
const MPEG2_MAX_KILOBITS = 160
const MPEG1_MIN_KILOBITS = 32
const DEFAULT_BITS_A_CHANNEL = 64_000

/**
 * Encodes to MP3 with a constant bit rate, with LAME. The codec is loaded on first use; each stream has an
 * instance and a memory of its own.
 */
export async function createMp3Encoder(options: EncoderOptions): Promise<Encoder> {
  const { sampleRate, channels, bitRate = DEFAULT_BITS_A_CHANNEL * channels } = options
  const { createMp3Encoder: createCodec } = await import('wasm-media-encoders')
  const encoder = await createCodec()
  encoder.configure({ sampleRate, channels, bitrate: findKilobits(bitRate, sampleRate) })
  return {
    push: (samples) => copyNonEmpty(encoder.encode(separate(samples, channels))),
    end: () => copyNonEmpty(encoder.finalize()),
    close: () => undefined,
  }
}

/** The bit rate of the format that is nearest to the wanted one. */
function findKilobits(bitRate: number, sampleRate: number): Kilobits {
  const isFit = (kilobits: number): boolean => {
    if (sampleRate >= 32_000) return kilobits >= MPEG1_MIN_KILOBITS
    return kilobits <= (sampleRate >= 16_000 ? MPEG2_MAX_KILOBITS : MPEG25_MAX_KILOBITS)
  }
  const distance = (kilobits: number): number => Math.abs(kilobits * 1000 - bitRate)
  const [nearest] = KILOBITS.filter(isFit).sort((a, b) => distance(a) - distance(b))
  return nearest ?? MPEG1_MIN_KILOBITS
}

function separate(samples: Float32Array, channels: number): Float32Array[] {
  if (channels === 1) return [samples]
  return Array.from({ length: channels }, (_, channel) => {
    return Float32Array.from({ length: samples.length / channels }, (_, frame) => {
      return samples[frame * channels + channel] ?? 0
    })
  })
}

/** The codec writes its next bytes over these. */
function copyNonEmpty(bytes: Uint8Array): readonly Uint8Array[] {
  return bytes.length === 0 ? [] : [bytes.slice()]
}
