/** DER encoding and reading: the parts that certificates need (X.690). */

/** Encodes a value with its tag and length. */
export function encodeDer(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const size = contents.reduce((sum, content) => sum + content.length, 0)
  return Buffer.concat([Buffer.of(tag), encodeLength(size), ...contents])
}

function encodeLength(size: number): Buffer {
  if (size < 0x80) return Buffer.of(size)
  if (size < 0x100) return Buffer.of(0x81, size)
  if (size < 0x1_0000) return Buffer.of(0x82, size >> 8, size & 0xff)
  throw new RangeError('no certificate of ours has such a long value')
}

export const sequence = (...contents: readonly Uint8Array[]): Buffer => encodeDer(0x30, ...contents)
export const integer = (bytes: Uint8Array): Buffer => encodeDer(0x02, bytes)
export const octetString = (bytes: Uint8Array): Buffer => encodeDer(0x04, bytes)
export const utf8String = (text: string): Buffer => encodeDer(0x0c, Buffer.from(text))
export const DER_NULL = encodeDer(0x05)
export const DER_TRUE = encodeDer(0x01, Buffer.of(0xff))

/** Encodes named bits: `unused` is the number of low bits of the byte that do not count. */
export function bitString(bytes: Uint8Array, unused = 0): Buffer {
  return encodeDer(0x03, Buffer.of(unused), bytes)
}

/** Encodes an object identifier such as `2.5.29.17`. */
export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return encodeDer(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(toBase128)]))
}

function toBase128(value: number): number[] {
  const bytes = [value & 0x7f]
  for (let left = value >> 7; left > 0; left >>= 7) bytes.unshift((left & 0x7f) | 0x80)
  return bytes
}

/** Encodes a time with the type that RFC 5280 wants for its year. */
export function encodeTime(time: Date): Buffer {
  const digits = `${time.toISOString().replace(/[-:T]/g, '').slice(0, 14)}Z`
  return time.getUTCFullYear() < 2050
    ? encodeDer(0x17, Buffer.from(digits.slice(2)))
    : encodeDer(0x18, Buffer.from(digits))
}

/** One value: its tag, its content, and its bytes with tag and length. */
export interface DerValue {
  readonly tag: number
  readonly content: Buffer
  readonly bytes: Buffer
}

/**
 * Reads the consecutive values of `bytes`.
 *
 * @throws {RangeError} for bytes that are cut off
 */
export function readDer(bytes: Buffer): DerValue[] {
  const values: DerValue[] = []
  for (let start = 0; start < bytes.length; ) {
    const { header, size } = readHeader(bytes, start)
    const end = start + header + size
    if (end > bytes.length) throw new RangeError('DER value is cut off')
    values.push({
      tag: bytes[start] ?? 0,
      content: bytes.subarray(start + header, end),
      bytes: bytes.subarray(start, end),
    })
    start = end
  }
  return values
}

function readHeader(bytes: Buffer, start: number): { readonly header: number; readonly size: number } {
  const first = bytes[start + 1]
  if (first === undefined) throw new RangeError('DER value is cut off')
  if (first < 0x80) return { header: 2, size: first }
  const count = first & 0x7f
  if (count === 0 || count > 4) throw new RangeError('DER length of unknown form')
  return { header: 2 + count, size: bytes.readUIntBE(start + 2, count) }
}
