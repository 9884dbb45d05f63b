import type { Msg } from '@nats-io/transport-node'
import { SvcError } from '@svc/errors'
import type { Logger } from '../../ports.ts'
import type { Line } from './line.ts'
import { decodePayload, encodePayload } from './payload.ts'
import type { SeldomLog } from './seldom-log.ts'

/** Maximum number of requests of others that are answered at a time. */
const MAX_RUNNING = 256

/** What answers a subject. */
export type Handler = (
  payload: unknown,
  context: { readonly subject: string; readonly signal: AbortSignal },
) => Promise<unknown>

/** Answers requests of others. */
export interface Handlers {
  /** Runs a handler and sends what it returns. */
  run(handler: Handler, message: Msg, line: Line): void
  /** Calls a listener. */
  tell(listener: (payload: unknown, subject: string) => void, message: Msg): void
  /** Aborts what runs. */
  close(): void
}

/** @param reply sends a reply by the line of its request, or by another one when that is gone */
export function createHandlers(parts: {
  readonly logger: Pick<Logger, 'error'>
  readonly seldom: SeldomLog
  readonly reply: (line: Line, subject: string, bytes: Uint8Array) => void
}): Handlers {
  const { logger, seldom, reply } = parts
  const running = new Set<AbortController>()

  const read = ({ subject, data }: Msg): { readonly payload: unknown } | undefined => {
    try {
      return { payload: decodePayload(data) }
    } catch (error) {
      seldom.warn(`form ${subject}`, { err: error, subject }, 'a message of the bus has an unknown form')
      return undefined
    }
  }

  const answer = async (handler: Handler, message: Msg, signal: AbortSignal): Promise<Uint8Array | undefined> => {
    const { subject } = message
    const content = read(message)
    if (content === undefined) return undefined
    try {
      const bytes = encodePayload(await handler(content.payload, { subject, signal }))
      if (bytes === undefined) throw new SvcError('internal', 'the reply is too long for the message bus')
      return bytes
    } catch (error) {
      if (!signal.aborted) logger.error({ err: error, subject }, 'a request of the bus could not be answered')
      return undefined
    }
  }

  return {
    run(handler, message, line) {
      const { subject } = message
      if (running.size >= MAX_RUNNING) {
        seldom.warn('running', { subject }, 'too many requests of the bus at once, one is dropped')
        return
      }
      const leaving = new AbortController()
      running.add(leaving)
      line.running += 1
      void answer(handler, message, leaving.signal).then((bytes) => {
        if (bytes !== undefined && message.reply) reply(line, message.reply, bytes)
        line.running -= 1
        running.delete(leaving)
      })
    },
    tell(listener, message) {
      const content = read(message)
      if (content === undefined) return
      try {
        listener(content.payload, message.subject)
      } catch (error) {
        logger.error({ err: error, subject: message.subject }, 'a listener of the bus failed')
      }
    },
    close() {
      const reason = new SvcError('cancelled', 'the connection to the message bus is closed')
      for (const leaving of running) leaving.abort(reason)
    },
  }
}
