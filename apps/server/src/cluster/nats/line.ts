import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node'

/** A subscription that outlives connections. */
export interface Entry {
  readonly subject: string
  /** @default each connection gets each message */
  readonly queue?: string | undefined
  onMessage(message: Msg, line: Line): void
}

/** One connection with its subscriptions. */
export interface Line {
  /** Resolves when the connection is lost or closed. */
  readonly closed: Promise<unknown>
  readonly isOpen: boolean
  /** Number of requests whose replies must leave here. */
  running: number
  /** Has exactly these subscriptions. */
  agree(entries: ReadonlySet<Entry>): void
  add(entry: Entry): void
  remove(entry: Entry): void
  /** Resolves when the server knows the subscriptions. */
  flush(): Promise<void>
  /** Sends; false when it cannot or too much waits. */
  send(subject: string, bytes: Uint8Array, reply?: string): boolean
  /** Ends the subscriptions after the messages that have come. */
  endSubscriptions(): Promise<void>
  close(): Promise<void>
}

/** Maximum number of bytes that the server has not confirmed. */
const MAX_UNCONFIRMED = 16 * 1024 * 1024
/** Number of bytes after which a confirmation is asked for. */
const CONFIRM_AFTER = 1024 * 1024

/** Wraps a connection. @param onError gets errors of the server, such as refused subjects */
export function createLine(connection: NatsConnection, onError: (error: Error) => void): Line {
  const subscriptions = new Map<Entry, Subscription>()
  const closed = connection.closed()
  void watchErrors(connection, onError)
  let unconfirmed = 0
  let isConfirming = false
  const confirm = (): void => {
    isConfirming = true
    const sent = unconfirmed
    connection.flush().then(
      () => {
        unconfirmed -= sent
        isConfirming = false
      },
      () => undefined,
    )
  }
  const line: Line = {
    closed,
    running: 0,
    get isOpen() {
      return !connection.isClosed() && !connection.isDraining()
    },
    agree(entries) {
      for (const entry of [...subscriptions.keys()]) if (!entries.has(entry)) line.remove(entry)
      for (const entry of entries) if (!subscriptions.has(entry)) line.add(entry)
    },
    add(entry) {
      if (!line.isOpen) return
      const { subject, queue } = entry
      const callback = (error: Error | null, message: Msg): void => {
        // An error is a refused subject, which the server reports as well.
        if (error === null && subscriptions.has(entry)) entry.onMessage(message, line)
      }
      subscriptions.set(entry, connection.subscribe(subject, queue === undefined ? { callback } : { queue, callback }))
    },
    remove(entry) {
      const subscription = subscriptions.get(entry)
      subscriptions.delete(entry)
      if (subscription !== undefined && !subscription.isClosed()) subscription.unsubscribe()
    },
    flush: () => connection.flush(),
    send(subject, bytes, reply) {
      if (!line.isOpen || unconfirmed + bytes.length > MAX_UNCONFIRMED) return false
      connection.publish(subject, bytes, reply === undefined ? {} : { reply })
      unconfirmed += bytes.length
      if (unconfirmed > CONFIRM_AFTER && !isConfirming) confirm()
      return true
    },
    async endSubscriptions() {
      await Promise.allSettled([...subscriptions.values()].map((subscription) => subscription.drain()))
    },
    close: () => connection.close(),
  }
  return line
}

async function watchErrors(connection: NatsConnection, onError: (error: Error) => void): Promise<void> {
  for await (const status of connection.status()) {
    if (status.type === 'error') onError(status.error)
  }
}
