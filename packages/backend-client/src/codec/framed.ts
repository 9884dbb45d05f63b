import { MessageWriter } from './message-writer.ts'

/** Bytes in front of every message of gRPC: a flag for compression, and the length in four bytes. */
export const FRAME_HEAD_BYTES = 5

/** A message with its head in front, ready for the wire. */
export function frameMessage<T>(write: (writer: MessageWriter, message: T) => void, message: T): Buffer {
  const writer = new MessageWriter(FRAME_HEAD_BYTES)
  write(writer, message)
  return writeFrameHead(writer.finish())
}

/** Writes the length of a message into the head in front of it. The flag is already zero: not compressed. */
export function writeFrameHead(frame: Buffer): Buffer {
  frame.writeUInt32BE(frame.length - FRAME_HEAD_BYTES, 1)
  return frame
}
