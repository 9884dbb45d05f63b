import type { HeldBytes } from '../inference/core/ports.ts'
import type { BodyReader } from './body.ts'

/** The most messages of a socket that wait while another is answered; their bytes are those of one message at most. */
const MAX_WAITING = 16
/** The most bytes of frames without a message while one arrives. */
const MAX_CONTROL_BYTES = 64 * 1024

/** A message of a socket. */
export interface SocketMessage extends HeldBytes {
  readonly isBinary: boolean
}

/** Why a socket is closed (RFC 6455, section 7.4.1). Clients come back after 1001, 1011 and 1013. */
export type CloseCode = 1000 | 1001 | 1003 | 1008 | 1009 | 1011 | 1013

/** Messages of a socket that wait for their answer, bounded in number and bytes. */
export interface Inbox {
  /** Counts bytes as they arrive, before they are a message. */
  addBytes(length: number): void
  /** Takes a whole message. */
  addMessage(data: unknown, isBinary: boolean): void
  /** Lets the reader look again whether the socket is over. */
  wake(): void
  /** Reads the messages in their order, each held until the next one is asked for. Ends when the socket is over or `until` aborts. */
  read(options: { readonly until: AbortSignal }): AsyncGenerator<SocketMessage>
  /** Gives back the memory of all messages that wait. */
  release(): void
}

/** Parts of {@link createInbox}. */
export interface InboxOptions {
  readonly bodies: Pick<BodyReader, 'meter'>
  readonly maxMessageBytes: number
  /** Whether messages may be binary. */
  readonly takesBinary: boolean
  /** Stops and starts the reading of a client that is ahead. @default such a client is refused */
  readonly setReading?: ((isReading: boolean) => void) | undefined
  /** Whether no further message is answered. */
  readonly isOver: () => boolean
  /** Closes the socket of a client that sends too much. */
  readonly refuse: (code: CloseCode, reason: string) => void
}

/** Creates the inbox of a socket. */
export function createInbox(options: InboxOptions): Inbox {
  const { bodies, maxMessageBytes, takesBinary, setReading, isOver, refuse } = options
  const waiting: SocketMessage[] = []
  let waitingBytes = 0
  let arriving = bodies.meter()
  let wakeReader = (): void => undefined
  const wake = (): void => wakeReader()

  /** Waits for a message or a wake-up. */
  const somethingNew = (): Promise<void> =>
    new Promise((resolve) => {
      wakeReader = resolve
    })

  return {
    wake,
    addBytes(length) {
      if (!arriving.add(length)) refuse(1013, 'too many messages in memory')
      else if (arriving.bytes > maxMessageBytes + MAX_CONTROL_BYTES) refuse(1009, 'too much that is not a message')
    },
    addMessage(data, isBinary) {
      const { release } = arriving
      arriving = bodies.meter()
      if (isOver() || (isBinary && !takesBinary) || !Buffer.isBuffer(data)) {
        release()
        if (isBinary && !takesBinary) refuse(1003, 'messages are text')
        return
      }
      const isAhead =
        waiting.length >= MAX_WAITING || (waiting.length > 0 && waitingBytes + data.length > maxMessageBytes)
      if (isAhead && setReading === undefined) {
        release()
        refuse(1008, 'too many messages are waiting')
        return
      }
      if (isAhead) setReading?.(false)
      waiting.push({ bytes: data, isBinary, release })
      waitingBytes += data.length
      wake()
    },
    async *read({ until }) {
      until.addEventListener('abort', wake)
      try {
        while (!isOver() && !until.aborted) {
          const message = waiting.shift()
          if (message === undefined) {
            await somethingNew()
            continue
          }
          waitingBytes -= message.bytes.length
          if (waiting.length === 0) setReading?.(true)
          try {
            yield message
          } finally {
            message.release()
          }
        }
      } finally {
        until.removeEventListener('abort', wake)
      }
    },
    release() {
      arriving.release()
      for (const message of waiting.splice(0)) message.release()
      wake()
    },
  }
}
