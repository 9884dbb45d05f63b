import type { Socket } from 'node:net'

/**
 * Writes text, bytes and text with one system call. The texts are Latin-1.
 *
 * @returns false when the client does not keep up
 */
export function writeBytes(socket: Socket, head: string, bytes: Uint8Array, tail: string): boolean {
  socket.cork()
  if (head !== '') socket.write(head, 'latin1')
  const isTaken = socket.write(bytes)
  if (tail !== '') socket.write(tail, 'latin1')
  socket.uncork()
  return isTaken
}
