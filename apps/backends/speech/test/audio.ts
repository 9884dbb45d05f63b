import { encodeWavHeader } from '@svc/audio'

const RATE = 16_000

/** A WAV file with a tone whose pitch changes all the time, 16 kHz mono. `pauses` are seconds at which half a second is silent. */
export function makeWav(seconds: number, pauses: readonly number[] = []): Buffer {
  return toWav(makeTone(seconds, pauses))
}

/** The samples of {@link makeWav}. */
export function makeTone(seconds: number, pauses: readonly number[] = []): Float32Array {
  return Float32Array.from({ length: seconds * RATE }, (_, index) => {
    const time = index / RATE
    if (pauses.some((pause) => time >= pause && time < pause + 0.5)) return 0
    return 0.3 * Math.sin(2 * Math.PI * time * (300 + 200 * Math.sin(time)))
  })
}

/** A WAV file of 16 kHz mono samples. */
function toWav(samples: Float32Array): Buffer {
  const pcm = Int16Array.from(samples, (sample) => Math.round(sample * 32_767))
  const header = encodeWavHeader({ sampleRate: RATE, channels: 1, frames: pcm.length })
  return Buffer.concat([header, Buffer.from(pcm.buffer)])
}
