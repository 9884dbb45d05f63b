import { MessageWriter } from './message-writer.ts'

/** Bytes in front of every message of gRPC: a flag for compression, and the length in four bytes. */
export const FRAME_HEAD_BYTES = 5

/** A message with its head in front, ready for the wire. */
export function frameMessage<T>(write: (writer: MessageWriter, message: T) => void, message: T): Buffer {
  const writer = new MessageWriter(FRAME_HEAD_BYTES)
  write(writer, message)
  const frame = writer.finish()
  frame.writeUInt32BE(frame.length - FRAME_HEAD_BYTES, 1)
  return frame
}
