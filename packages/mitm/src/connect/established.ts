import type { Socket } from 'node:net'

/** Tells the client that its CONNECT request is accepted. */
export function writeEstablished(socket: Socket): void {
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
}
