import { type EncodeAudioOptions, encodeAudio } from '@svc/audio'

/** A sine as floats, interleaved; `hz` has one frequency for each channel. */
export function makeTone(options: {
  readonly rate: number
  readonly frames: number
  readonly hz: readonly number[]
  readonly level?: number
}): Float32Array {
  const { rate, frames, hz, level = 0.5 } = options
  return Float32Array.from({ length: frames * hz.length }, (_, index) => {
    const channel = index % hz.length
    const time = Math.floor(index / hz.length) / rate
    return level * Math.sin(2 * Math.PI * (hz[channel] ?? 0) * time)
  })
}

/** Takes one channel out of interleaved samples. */
export function takeChannel(samples: Float32Array, channel: number, channels: number): Float32Array {
  return Float32Array.from(
    { length: Math.floor(samples.length / channels) },
    (_, index) => samples[index * channels + channel] ?? 0,
  )
}

/** Power of the sine of this frequency, and of all the rest, in decibels of a sine of full level. */
export function measureTone(
  samples: Float32Array,
  { rate, hz }: { readonly rate: number; readonly hz: number },
): { readonly toneDb: number; readonly restDb: number } {
  // A Blackman window, so that the ends of the part make no other frequencies.
  const window = Float64Array.from(samples, (_, index) => {
    const turn = (2 * Math.PI * (index + 0.5)) / samples.length
    return 0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn)
  })
  const omega = (2 * Math.PI * hz) / rate
  const cosine = Float64Array.from(samples, (_, index) => Math.cos(omega * index))
  const sine = Float64Array.from(samples, (_, index) => Math.sin(omega * index))
  const sum = (a: ArrayLike<number>, b: ArrayLike<number>) => {
    let total = 0
    for (let index = 0; index < window.length; index++)
      total += (window[index] ?? 0) * (a[index] ?? 0) * (b[index] ?? 0)
    return total
  }
  // The best fit of a cosine and a sine.
  const [cc, ss, cs] = [sum(cosine, cosine), sum(sine, sine), sum(cosine, sine)]
  const [xc, xs] = [sum(samples, cosine), sum(samples, sine)]
  const det = cc * ss - cs * cs
  const a = (xc * ss - xs * cs) / det
  const b = (xs * cc - xc * cs) / det
  const left = Float64Array.from(samples, (x, index) => x - a * (cosine[index] ?? 0) - b * (sine[index] ?? 0))
  const rest = sum(left, left) / window.reduce((total, weight) => total + weight, 0)
  const toDb = (power: number) => 10 * Math.log10(Math.max(power, 1e-20))
  return { toneDb: toDb(a * a + b * b), restDb: toDb(2 * rest) }
}

/** Pieces of the given lengths, again and again, until the bytes end. */
export function* cutAt<T extends Uint8Array | Float32Array>(values: T, lengths: readonly number[]): Generator<T> {
  let at = 0
  for (let turn = 0; at < values.length; turn++) {
    const end = at + (lengths[turn % lengths.length] ?? 1)
    yield values.subarray(at, end) as T
    at = end
  }
}

export async function collect(pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const piece of pieces) parts.push(piece)
  return new Uint8Array(Buffer.concat(parts))
}

export async function encodeAll(pcm: Uint8Array, options: EncodeAudioOptions): Promise<Uint8Array> {
  return collect(encodeAudio(cutAt(pcm, [4801]), options))
}
