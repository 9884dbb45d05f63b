/** Converts 32-bit floats to 16-bit ones: to the nearest, and beyond their range to infinity. */
export function toHalves(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const halves = new DataView(new ArrayBuffer(bytes.length / 2))
  for (let at = 0; at < bytes.length; at += 4) halves.setUint16(at / 2, toHalf(view.getUint32(at, true)), true)
  return new Uint8Array(halves.buffer)
}

/** Converts 16-bit floats to 32-bit ones. */
export function fromHalves(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const floats = new DataView(new ArrayBuffer(bytes.length * 2))
  for (let at = 0; at < bytes.length; at += 2) floats.setFloat32(at * 2, fromHalf(view.getUint16(at, true)), true)
  return new Uint8Array(floats.buffer)
}

function toHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000
  const exponent = ((bits >>> 23) & 0xff) - 112
  const fraction = bits & 0x7f_ffff
  if (exponent >= 31) return sign | 0x7c00 | (exponent === 143 && fraction !== 0 ? 0x200 : 0)
  // Rounding may carry into the exponent, which gives the next number.
  if (exponent > 0) return sign | (((exponent << 10) | (fraction >>> 13)) + ((fraction >>> 12) & 1))
  if (exponent < -10) return sign
  const shifted = (fraction | 0x80_0000) >>> (13 - exponent)
  return sign | ((shifted >>> 1) + (shifted & 1))
}

function fromHalf(half: number): number {
  const sign = half & 0x8000 ? -1 : 1
  const exponent = (half >> 10) & 31
  const fraction = half & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}
