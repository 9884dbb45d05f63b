/** Converts samples of -1..1 to 16-bit integers, little endian. Larger ones are clipped. */
export function toPcm16(samples: Float32Array): Buffer {
  const bytes = Buffer.allocUnsafe(samples.length * 2)
  for (let index = 0; index < samples.length; index += 1) {
    const sample = Math.max(-1, Math.min(1, samples[index] ?? 0))
    bytes.writeInt16LE(Math.round(sample * 32_767), index * 2)
  }
  return bytes
}

/** Converts 16-bit integers, little endian, to samples of -1..1. An odd last byte is left out. */
export function fromPcm16(bytes: Uint8Array): Float32Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const samples = new Float32Array(Math.floor(bytes.length / 2))
  for (let index = 0; index < samples.length; index += 1) samples[index] = view.getInt16(index * 2, true) / 32_768
  return samples
}
