import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import type { Messenger, Unsubscribe } from '../contract/messenger.ts'
import { createConnections } from './connections.ts'
import { createHandlers } from './handlers.ts'
import type { Entry } from './line.ts'
import type { NatsAddress, NatsCredentials } from './open-connection.ts'
import { decodePayload, encodePayload, MAX_PAYLOAD } from './payload.ts'
import { createRequests } from './requests.ts'
import { createSeldomLog } from './seldom-log.ts'

/** Options of {@link createNatsMessenger}. */
export interface NatsMessengerOptions extends NatsAddress {
  /** @default those of the address, or none */
  readonly credentials?: NatsCredentials | undefined
  /** Start of the subjects of replies. Others must not be able to listen below it. */
  readonly inboxPrefix: string
  /** How long the creation waits for the first connection, milliseconds. @default 5000 */
  readonly firstConnectionMs?: number | undefined
  readonly clock: Clock
  readonly logger: Logger
}

/** A messenger whose credentials can change. */
export interface NatsMessenger extends Messenger {
  /**
   * Goes on with other credentials. The new connection has all subscriptions before those of the old one end; no message
   * is lost or comes twice. While the bus is away they count from the next attempt.
   *
   * @throws when no connection can be opened with them; the old connection stays
   */
  renew(credentials: NatsCredentials): Promise<void>
}

/**
 * Connects to NATS, and connects again for ever. Resolves with the first connection, or after a while without one.
 *
 * A request while the bus is away fails at once. One that is sent just before the connection is lost, or before the
 * other side has subscribed again, waits for its whole time: give requests that may be repeated a short time, and repeat
 * them.
 */
export async function createNatsMessenger(options: NatsMessengerOptions): Promise<NatsMessenger> {
  const { clock, logger, inboxPrefix, firstConnectionMs = 5000 } = options
  const seldom = createSeldomLog(logger, clock)
  const requests = createRequests(clock)
  const id = randomUUID()
  const inbox = `${inboxPrefix}.${id}`
  let subscriptions = 0
  const connections = createConnections({
    ...options,
    seldom,
    onRefused: (subject) => requests.refuse(subject),
  })
  const handlers = createHandlers({
    logger,
    seldom,
    reply: (line, subject, bytes) => connections.reply(line, subject, bytes),
  })
  /** A queue of its own for each subscription: while connections change, both have it and each message comes once. */
  const add = (subject: string, onMessage: Entry['onMessage'], queue?: string): Unsubscribe => {
    subscriptions += 1
    return connections.add({ subject, queue: queue ?? `${id}-${subscriptions}`, onMessage })
  }
  add(`${inbox}.*`, (message) => requests.take(message))

  await connections.start(firstConnectionMs)
  return {
    get isConnected() {
      return connections.isConnected
    },
    publish(subject, payload) {
      const bytes = encodePayload(payload)
      if (bytes === undefined) {
        seldom.warn(`long ${subject}`, { subject, limit: MAX_PAYLOAD }, 'a message is too long for the bus')
      } else connections.send(subject, bytes)
    },
    async request(subject, payload, request) {
      const bytes = encodePayload(payload)
      if (bytes === undefined) {
        throw new SvcError('too_large', `the request to ${subject} is longer than ${MAX_PAYLOAD} bytes`, {
          code: 'bus_too_large',
        })
      }
      const reply = await requests.wait(
        subject,
        (token) => connections.send(subject, bytes, `${inbox}.${token}`),
        request,
      )
      try {
        return decodePayload(reply.data)
      } catch (cause) {
        throw new SvcError('upstream_failed', `the reply to ${subject} has an unknown form`, {
          code: 'bus_reply_invalid',
          cause,
        })
      }
    },
    subscribe: (subject, listener, { queue } = {}) =>
      add(subject, (message) => handlers.tell(listener, message), queue),
    serve: (subject, handler, { queue } = {}) =>
      add(subject, (message, line) => handlers.run(handler, message, line), queue),
    onConnection: (listener) => connections.onChange(listener),
    renew: (credentials) => connections.renew(credentials),
    async close() {
      handlers.close()
      requests.close()
      await connections.close()
    },
  }
}
