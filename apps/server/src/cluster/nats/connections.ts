import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import { createConnectionListeners } from './connection-listeners.ts'
import { createLine, type Entry, type Line } from './line.ts'
import { createOldLines, sayGoodbye } from './old-lines.ts'
import { type NatsAddress, type NatsCredentials, openConnection } from './open-connection.ts'
import type { SeldomLog } from './seldom-log.ts'
import { stayConnected } from './stay-connected.ts'

/** Parts of {@link createConnections}. */
export interface ConnectionsOptions extends NatsAddress {
  readonly credentials?: NatsCredentials | undefined
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly seldom: SeldomLog
  /** Gets subjects to which the server lets nothing be sent. */
  readonly onRefused: (subject: string) => void
}

/** The connection to the bus and its successors. */
export interface Connections {
  readonly isConnected: boolean
  /** Connects and stays connected. @param waitMs how long this waits for the first connection */
  start(waitMs: number): Promise<void>
  /** Keeps a subscription on every connection. @returns ends it */
  add(entry: Entry): () => void
  /** Sends; false while the bus is away or too much waits. */
  send(subject: string, bytes: Uint8Array, reply?: string): boolean
  /** Sends a reply by the connection of its request, or by the present one. */
  reply(line: Line, subject: string, bytes: Uint8Array): void
  renew(credentials: NatsCredentials): Promise<void>
  onChange(listener: (isConnected: boolean) => void): () => void
  close(): Promise<void>
}

/** Creates them; nothing is connected yet. */
export function createConnections(options: ConnectionsOptions): Connections {
  const { clock, logger, seldom } = options
  const entries = new Set<Entry>()
  const listeners = createConnectionListeners(logger)
  const stopping = new AbortController()
  const { signal } = stopping
  const oldLines = createOldLines(clock, signal)
  let credentials = options.credentials
  let current: Line | undefined
  let renewing: Promise<void> = Promise.resolve()

  const open = (as: NatsCredentials | undefined): Promise<Line> => openLine(options, as, entries)
  const lose = (line: Line): void => {
    if (current !== line) return
    current = undefined
    if (!signal.aborted) logger.warn({}, 'the connection to the message bus is lost')
    listeners.tell(false)
  }
  /** Goes on with a new connection. */
  const adopt = async (line: Line): Promise<void> => {
    const old = current
    current = line
    line.agree(entries)
    void line.closed.then(() => lose(line))
    if (old !== undefined) return oldLines.retire(old)
    logger.info({}, 'the message bus is connected')
    listeners.tell(true)
  }
  const renew = async (next: NatsCredentials): Promise<void> => {
    const line = current === undefined ? undefined : await open(next)
    credentials = next
    if (line === undefined) return
    await (signal.aborted ? line.close() : adopt(line))
  }

  return {
    get isConnected() {
      return current !== undefined
    },
    async start(waitMs) {
      const first = listeners.next(clock.sleep(waitMs, { signal }))
      void stayConnected({
        current: () => current,
        connect: async () => {
          const line = await open(credentials)
          // Another connection may have come first, or the end.
          await (current !== undefined || signal.aborted ? line.close() : adopt(line))
        },
        onFailure: (err) => seldom.warn('connect', { err }, 'the message bus cannot be reached'),
        clock,
        signal,
      })
      await first
    },
    add(entry) {
      entries.add(entry)
      current?.add(entry)
      return () => {
        entries.delete(entry)
        current?.remove(entry)
        oldLines.remove(entry)
      }
    },
    send: (subject, bytes, reply) => current?.send(subject, bytes, reply) ?? false,
    reply(line, subject, bytes) {
      if (!line.send(subject, bytes)) current?.send(subject, bytes)
    },
    renew(next) {
      renewing = renewing.catch(() => undefined).then(() => renew(next))
      return renewing
    },
    onChange: (listener) => listeners.add(listener),
    async close() {
      if (signal.aborted) return
      stopping.abort(new SvcError('cancelled', 'the connection to the message bus is closed'))
      entries.clear()
      listeners.clear()
      await Promise.all([current === undefined ? undefined : sayGoodbye(current, clock), oldLines.close()])
    },
  }
}

/** Opens a connection on which the server knows all subscriptions. */
async function openLine(
  options: ConnectionsOptions,
  credentials: NatsCredentials | undefined,
  entries: ReadonlySet<Entry>,
): Promise<Line> {
  const line = createLine(await openConnection(options, credentials), (error) => {
    const { operation, subject } = error as { readonly operation?: string; readonly subject?: string }
    options.seldom.warn(error.message, { err: error }, 'the message bus refused something')
    if (operation === 'publish' && subject !== undefined) options.onRefused(subject)
  })
  try {
    line.agree(entries)
    await line.flush()
    return line
  } catch (error) {
    await line.close()
    throw error
  }
}
