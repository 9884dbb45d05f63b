/** A complex signal. */
export interface Spectrum {
  readonly real: Float64Array
  readonly imaginary: Float64Array
}

const tables = new Map<number, Spectrum>()

/** The factors of a transform; there are a few sizes. */
function findTable(size: number): Spectrum {
  const known = tables.get(size)
  if (known !== undefined) return known
  const real = Float64Array.from({ length: size / 2 }, (_, index) => Math.cos((2 * Math.PI * index) / size))
  const imaginary = Float64Array.from({ length: size / 2 }, (_, index) => -Math.sin((2 * Math.PI * index) / size))
  const table = { real, imaginary }
  tables.set(size, table)
  return table
}

/** Transforms a signal in place; its length is a power of two. */
function transform({ real, imaginary }: Spectrum): void {
  const size = real.length
  for (let index = 1, other = 0; index < size; index++) {
    let bit = size >> 1
    for (; other & bit; bit >>= 1) other ^= bit
    other ^= bit
    if (index < other) {
      swap(real, index, other)
      swap(imaginary, index, other)
    }
  }
  const table = findTable(size)
  for (let half = 1; half < size; half *= 2) combine({ real, imaginary }, half, table)
}

function swap(values: Float64Array, one: number, other: number): void {
  const kept = values[one] as number
  values[one] = values[other] as number
  values[other] = kept
}

/** Unites neighbouring transforms of a length. Every index is inside of the arrays. */
function combine({ real, imaginary }: Spectrum, half: number, table: Spectrum): void {
  const step = real.length / (half * 2)
  for (let start = 0; start < real.length; start += half * 2) {
    for (let index = 0; index < half; index++) {
      const factor = table.real[index * step] as number
      const turn = table.imaginary[index * step] as number
      const low = start + index
      const high = low + half
      const highReal = real[high] as number
      const highImaginary = imaginary[high] as number
      const partReal = highReal * factor - highImaginary * turn
      const partImaginary = highReal * turn + highImaginary * factor
      real[high] = (real[low] as number) - partReal
      imaginary[high] = (imaginary[low] as number) - partImaginary
      real[low] = (real[low] as number) + partReal
      imaginary[low] = (imaginary[low] as number) + partImaginary
    }
  }
}

/** Sums over products of two signals that are moved against each other. */
export interface Correlations {
  /** At k: the sum of `sound[i] * voice[i - k]`. Negative k lie at the end. */
  readonly cross: Float64Array
  /** At k: the sum of `voice[i] * voice[i - k]`. */
  readonly auto: Float64Array
}

/** Correlates two signals by two transforms: a real signal fits into each half of a complex one. */
export function correlate(sound: Float32Array, voice: Float32Array): Correlations {
  const size = 2 ** Math.ceil(Math.log2(sound.length + voice.length))
  const real = new Float64Array(size)
  const imaginary = new Float64Array(size)
  real.set(sound)
  imaginary.set(voice)
  transform({ real, imaginary })
  const outReal = new Float64Array(size)
  const outImaginary = new Float64Array(size)
  for (let index = 0; index < size; index++) {
    const mirror = (size - index) & (size - 1)
    const a = real[index] as number
    const b = imaginary[index] as number
    const c = real[mirror] as number
    const d = imaginary[mirror] as number
    const soundReal = (a + c) / 2
    const soundImaginary = (b - d) / 2
    const voiceReal = (b + d) / 2
    const voiceImaginary = (c - a) / 2
    const crossReal = soundReal * voiceReal + soundImaginary * voiceImaginary
    const crossImaginary = soundImaginary * voiceReal - soundReal * voiceImaginary
    const power = voiceReal * voiceReal + voiceImaginary * voiceImaginary
    // the backward transform is the forward one of the conjugate
    outReal[index] = crossReal
    outImaginary[index] = -(crossImaginary + power)
  }
  transform({ real: outReal, imaginary: outImaginary })
  for (let index = 0; index < size; index++) {
    outReal[index] = (outReal[index] as number) / size
    outImaginary[index] = -(outImaginary[index] as number) / size
  }
  return { cross: outReal, auto: outImaginary }
}
