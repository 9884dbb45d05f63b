import { float32ToS16 } from '../samples/s16.ts'
import { encodeWavHeader } from '../wav/encode-wav-header.ts'
import type { Encoder, EncoderOptions } from './encoder.ts'

/** Encodes to 16-bit samples without a header. */
export function createPcmEncoder(): Encoder {
  return { push: (samples) => [float32ToS16(samples)], end: () => [], close: () => undefined }
}

/** Encodes to a WAV file whose header declares no length. */
export function createWavEncoder({ sampleRate, channels }: EncoderOptions): Encoder {
  let header: readonly Uint8Array[] = [encodeWavHeader({ sampleRate, channels })]
  const takeHeader = (): readonly Uint8Array[] => {
    const taken = header
    header = []
    return taken
  }
  return {
    push: (samples) => [...takeHeader(), float32ToS16(samples)],
    end: takeHeader,
    close: () => undefined,
  }
}
