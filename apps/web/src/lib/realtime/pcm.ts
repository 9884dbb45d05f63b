/** Samples a second of the sound in events, both ways. */
export const EVENT_RATE = 24_000

/** Bytes that become text at once: more arguments overflow the stack. */
const BLOCK = 8192

/** Writes samples, -1..1, as 16-bit little-endian PCM in base64. */
export function encodePcm(samples: Float32Array): string {
  const view = new DataView(new ArrayBuffer(samples.length * 2))
  for (const [index, sample] of samples.entries()) {
    const bounded = Math.max(-1, Math.min(1, sample))
    view.setInt16(index * 2, Math.round(bounded * (bounded < 0 ? 0x8000 : 0x7fff)), true)
  }
  const bytes = new Uint8Array(view.buffer)
  let text = ''
  for (let at = 0; at < bytes.length; at += BLOCK) text += String.fromCharCode(...bytes.subarray(at, at + BLOCK))
  return btoa(text)
}

/** Reads 16-bit little-endian PCM in base64. @returns samples, -1..1; undefined for text that is not base64 */
export function decodePcm(base64: string): Float32Array<ArrayBuffer> | undefined {
  let text: string
  try {
    text = atob(base64)
  } catch {
    return undefined
  }
  const view = new DataView(new ArrayBuffer(text.length))
  for (let at = 0; at < text.length; at += 1) view.setUint8(at, text.charCodeAt(at))
  const samples = new Float32Array(text.length >> 1)
  for (const index of samples.keys()) samples[index] = view.getInt16(index * 2, true) / 0x8000
  return samples
}
