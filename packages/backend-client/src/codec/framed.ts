import { BinaryWriter } from '@bufbuild/protobuf/wire'

/** Bytes in front of every message of gRPC: a flag for compression, and the length in four bytes. */
export const FRAME_HEAD_BYTES = 5
const EMPTY_HEAD = new Uint8Array(FRAME_HEAD_BYTES)

/** A message with its head in front, ready for the wire. */
export function frameMessage<T>(write: (writer: BinaryWriter, message: T) => void, message: T): Buffer {
  const writer = new BinaryWriter()
  writer.raw(EMPTY_HEAD)
  write(writer, message)
  const bytes = writer.finish()
  const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  frame.writeUInt32BE(frame.length - FRAME_HEAD_BYTES, 1)
  return frame
}
