import { checkBytes, checkSamples } from '../check-entries.ts'

const SCALE = 32_768

/**
 * Converts 16-bit samples, little-endian and signed, to floats in -1 ≤ x < 1. An odd byte at the end is left out.
 * {@link float32ToS16} gives exactly the same bytes back.
 */
export function s16ToFloat32(bytes: Uint8Array): Float32Array {
  checkBytes('s16ToFloat32', bytes)
  const samples = new Float32Array(bytes.length >> 1)
  for (let index = 0, at = 0; index < samples.length; index++, at += 2) {
    samples[index] = ((((bytes[at + 1] ?? 0) << 24) >> 16) | (bytes[at] ?? 0)) / SCALE
  }
  return samples
}

/**
 * Converts floats to 16-bit samples, little-endian and signed. The full range is -1 ≤ x < 1. Values outside are
 * limited to it, and a value that is not a number becomes silence.
 */
export function float32ToS16(samples: Float32Array): Uint8Array {
  checkSamples('float32ToS16', samples)
  const bytes = new Uint8Array(samples.length * 2)
  for (let index = 0, at = 0; index < samples.length; index++, at += 2) {
    const value = roundToS16(samples[index] ?? 0)
    bytes[at] = value & 0xff
    bytes[at + 1] = (value >> 8) & 0xff
  }
  return bytes
}

/** The nearest 16-bit integer of a float sample; halves go up. Zero for a value that is not a number. */
export function roundToS16(sample: number): number {
  const value = Math.round(sample * SCALE)
  if (value >= SCALE) return SCALE - 1
  return value < -SCALE ? -SCALE : value | 0
}
