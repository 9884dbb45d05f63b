import { checkBytes, checkSamples } from '../check-entries.ts'
import { roundToS16 } from './s16.ts'

const SCALE = 32_768
const MU_LAW_BIAS = 0x84
const MU_LAW_CLIP = 0x7fff - MU_LAW_BIAS

/** Samples of the 256 codes of each law, as 16-bit integers (ITU-T G.711). */
const MU_LAW = Int16Array.from({ length: 256 }, (_, code) => decodeMuLaw(code))
const A_LAW = Int16Array.from({ length: 256 }, (_, code) => decodeALaw(code))

/** Converts mu-law (ITU-T G.711), one byte a sample, to floats in -1 ≤ x < 1. The louder half has about 14 bits. */
export function muLawToFloat32(bytes: Uint8Array): Float32Array {
  checkBytes('muLawToFloat32', bytes)
  return lookUp(bytes, MU_LAW)
}

/** Converts A-law (ITU-T G.711), one byte a sample, to floats in -1 ≤ x < 1. The louder half has about 13 bits. */
export function aLawToFloat32(bytes: Uint8Array): Float32Array {
  checkBytes('aLawToFloat32', bytes)
  return lookUp(bytes, A_LAW)
}

/** Converts floats to mu-law (ITU-T G.711), one byte a sample. Values outside of -1 ≤ x < 1 are limited to it. */
export function float32ToMuLaw(samples: Float32Array): Uint8Array {
  checkSamples('float32ToMuLaw', samples)
  return Uint8Array.from(samples, (sample) => encodeMuLaw(roundToS16(sample)))
}

/** Converts floats to A-law (ITU-T G.711), one byte a sample. Values outside of -1 ≤ x < 1 are limited to it. */
export function float32ToALaw(samples: Float32Array): Uint8Array {
  checkSamples('float32ToALaw', samples)
  return Uint8Array.from(samples, (sample) => encodeALaw(roundToS16(sample)))
}

function lookUp(bytes: Uint8Array, table: Int16Array): Float32Array {
  const samples = new Float32Array(bytes.length)
  for (let index = 0; index < bytes.length; index++) samples[index] = (table[bytes[index] ?? 0] ?? 0) / SCALE
  return samples
}

function decodeMuLaw(code: number): number {
  const bits = ~code & 0xff
  const magnitude = ((((bits & 15) << 3) + MU_LAW_BIAS) << ((bits >> 4) & 7)) - MU_LAW_BIAS
  return bits & 0x80 ? -magnitude : magnitude
}

function encodeMuLaw(sample: number): number {
  const sign = sample < 0 ? 0x80 : 0
  const magnitude = Math.min(Math.abs(sample), MU_LAW_CLIP) + MU_LAW_BIAS
  const exponent = 24 - Math.clz32(magnitude)
  return ~(sign | (exponent << 4) | ((magnitude >> (exponent + 3)) & 15)) & 0xff
}

function decodeALaw(code: number): number {
  const bits = code ^ 0x55
  const exponent = (bits >> 4) & 7
  const mantissa = ((bits & 15) << 4) + 8
  const magnitude = exponent === 0 ? mantissa : (mantissa + 0x100) << (exponent - 1)
  return bits & 0x80 ? magnitude : -magnitude
}

function encodeALaw(sample: number): number {
  const sign = sample < 0 ? 0 : 0x80
  const magnitude = sample < 0 ? -sample - 1 : sample
  const exponent = Math.max(0, 24 - Math.clz32(magnitude))
  const mantissa = (magnitude >> (exponent === 0 ? 4 : exponent + 3)) & 15
  return (sign | (exponent << 4) | mantissa) ^ 0x55
}
