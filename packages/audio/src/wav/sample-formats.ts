import { aLawToFloat32, muLawToFloat32 } from '../samples/g711.ts'
import { s16ToFloat32 } from '../samples/s16.ts'
import type { WavSampleFormat } from './wav-header.ts'

/** Louder floats are damage, and would overflow later. */
const MAX_FLOAT = 10

/** Converts whole samples of any format to floats. */
export function toFloat32(bytes: Uint8Array, format: WavSampleFormat): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (format) {
    case 'u8':
      return Float32Array.from(bytes, (byte) => (byte - 128) / 128)
    case 's16':
      return s16ToFloat32(bytes)
    case 's24':
      return convert(bytes.length / 3, (index) => readS24(bytes, index * 3) / 8_388_608)
    case 's32':
      return convert(bytes.length / 4, (index) => view.getInt32(index * 4, true) / 2_147_483_648)
    case 'f32':
      return convert(bytes.length / 4, (index) => limit(view.getFloat32(index * 4, true)))
    case 'f64':
      return convert(bytes.length / 8, (index) => limit(view.getFloat64(index * 8, true)))
    case 'alaw':
      return aLawToFloat32(bytes)
    case 'mulaw':
      return muLawToFloat32(bytes)
  }
}

function convert(length: number, read: (index: number) => number): Float32Array {
  const samples = new Float32Array(length)
  for (let index = 0; index < length; index++) samples[index] = read(index)
  return samples
}

function readS24(bytes: Uint8Array, at: number): number {
  return (((bytes[at + 2] ?? 0) << 24) >> 8) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at] ?? 0)
}

function limit(sample: number): number {
  if (Number.isNaN(sample)) return 0
  return Math.max(-MAX_FLOAT, Math.min(MAX_FLOAT, sample))
}
