/** Number of the field of an ONNX model that holds one property. */
const PROPERTY = 14
const KEY = 1
const VALUE = 2
const BYTES = 2

/** Encodes properties of an ONNX model. Appended to its file, they are part of the model. */
export function encodeMetadata(properties: Readonly<Record<string, string>>): Buffer {
  return Buffer.concat(
    Object.entries(properties).map(([key, value]) =>
      encodeField(
        PROPERTY,
        Buffer.concat([encodeField(KEY, Buffer.from(key)), encodeField(VALUE, Buffer.from(value))]),
      ),
    ),
  )
}

function encodeField(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([number * 8 + BYTES]), encodeVarint(bytes.length), bytes])
}

function encodeVarint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest > 127) {
    bytes.push((rest & 127) | 128)
    rest >>>= 7
  }
  return Buffer.from([...bytes, rest])
}
