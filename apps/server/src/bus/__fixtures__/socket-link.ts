import { once } from 'node:events'
import type { Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { BusLink } from '../bus.ts'

/** Maximum number of bytes that wait for a slow process; further messages are lost. */
const MAX_UNSENT = 16 * 1024 * 1024

/** Joins two processes by a socket, a message a line. */
export function createSocketLink(socket: Socket): BusLink {
  // The loss of the connection is the loss of messages.
  socket.on('error', () => undefined)
  return {
    send(subject, text) {
      if (socket.writable && socket.writableLength < MAX_UNSENT) socket.write(`${subject} ${text}\n`)
    },
    receive(onMessage) {
      const lines = createInterface({ input: socket })
      lines.on('error', () => undefined)
      lines.on('line', (line) => {
        const end = line.indexOf(' ')
        onMessage(line.slice(0, end), line.slice(end + 1))
      })
    },
    async close() {
      if (socket.destroyed) return
      const closed = once(socket, 'close')
      socket.destroy()
      await closed
    },
  }
}
