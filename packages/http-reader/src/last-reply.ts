import type { Socket } from 'node:net'
import { endConnection } from './end-connection.ts'
import { checkLimit, UNREAD_MS } from './limits.ts'
import { type Answered, Reply } from './reply.ts'
import { watchUnread } from './unread-watch.ts'
import { writeBytes } from './write-bytes.ts'

/** Options of {@link createLastReply}. */
export interface LastReplyOptions extends Answered {
  /** Milliseconds that a client may take nothing of the reply once it is complete. @default 60000 */
  readonly unreadMs?: number | undefined
}

/**
 * Makes a reply on a socket that no HTTP parser reads any more, such as the socket of an `upgrade` event of Node's
 * server. The connection ends with the reply ({@link endConnection}).
 *
 * @param socket nobody else writes to it until the reply has ended; its caller may use it otherwise and never write the
 *   reply
 */
export function createLastReply(socket: Socket, { unreadMs = UNREAD_MS, ...answered }: LastReplyOptions = {}): Reply {
  checkLimit(unreadMs, 'createLastReply: unreadMs')
  const finish = (): void => {
    const unwatch = watchUnread(socket.pause(), { unreadMs })
    // An empty write calls back when everything before it is out.
    socket.write('', (error) => {
      unwatch()
      if (error || socket.destroyed) return
      reply.sent()
      endConnection(socket)
    })
  }
  const reply: Reply = new Reply(
    {
      keepsAlive: false,
      connectionLines: () => 'Connection: close\r\n',
      send: (text, encoding) => socket.write(text, encoding),
      sendBytes: (head, bytes, tail) => writeBytes(socket, head, bytes, tail),
      finish,
      destroy: () => void socket.destroy(),
    },
    answered,
  )
  socket
    .on('error', () => undefined)
    .on('drain', () => reply.emit('drain'))
    .once('close', () => reply.closed())
  return reply
}
