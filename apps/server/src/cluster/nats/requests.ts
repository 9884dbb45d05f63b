import type { Msg } from '@nats-io/transport-node'
import { SvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'
import type { RequestOptions } from '../contract/messenger.ts'

/** Maximum number of requests that wait for their replies. */
const MAX_REQUESTS = 4096

/** Requests that wait for their replies. A reply is found by the last token of its subject. */
export interface Requests {
  /**
   * Waits for a reply.
   *
   * @param send sends the request with the token of its reply; false when it could not be sent
   */
  wait(subject: string, send: (token: string) => boolean, options: RequestOptions): Promise<Msg>
  /** Takes a reply. */
  take(message: Msg): void
  /** Fails the requests of a subject that the server refuses. */
  refuse(subject: string): void
  /** Fails all. */
  close(): void
}

interface Waiting {
  readonly subject: string
  readonly resolve: (reply: Msg) => void
  readonly reject: (error: unknown) => void
}

/** The failure of a request that nobody was asked. */
function disconnected(): SvcError {
  return new SvcError('unavailable', 'the message bus is not connected', {
    code: 'bus_disconnected',
    retryAfterMs: 1000,
  })
}

/** Creates an empty list. */
export function createRequests(clock: Pick<Clock, 'sleep'>): Requests {
  const waiting = new Map<string, Waiting>()
  let last = 0
  return {
    async wait(subject, send, { signal, timeoutMs }) {
      signal.throwIfAborted()
      if (waiting.size >= MAX_REQUESTS) {
        throw new SvcError('unavailable', 'too many requests wait on the message bus', {
          code: 'bus_full',
          retryAfterMs: 1000,
        })
      }
      last += 1
      const token = last.toString(36)
      const done = new AbortController()
      const leave = (): void => waiting.get(token)?.reject(signal.reason)
      try {
        return await new Promise<Msg>((resolve, reject) => {
          waiting.set(token, { subject, resolve, reject })
          signal.addEventListener('abort', leave, { once: true })
          clock.sleep(timeoutMs, { signal: done.signal }).then(
            () => reject(timedOut(subject)),
            () => undefined,
          )
          if (!send(token)) reject(disconnected())
        })
      } finally {
        done.abort()
        waiting.delete(token)
        signal.removeEventListener('abort', leave)
      }
    },
    take(message) {
      const request = waiting.get(message.subject.slice(message.subject.lastIndexOf('.') + 1))
      if (request === undefined) return
      if (message.data.length === 0 && message.headers?.code === 503) request.reject(unheard(request.subject))
      else request.resolve(message)
    },
    refuse(refused) {
      for (const { subject, reject } of [...waiting.values()]) if (subject === refused) reject(forbidden(subject))
    },
    close() {
      for (const { reject } of [...waiting.values()]) reject(disconnected())
    },
  }
}

function timedOut(subject: string): SvcError {
  return new SvcError('timeout', `no reply to ${subject} came in time`, { code: 'bus_timeout' })
}

function unheard(subject: string): SvcError {
  return new SvcError('unavailable', `nobody answers ${subject}`, { code: 'no_responders', retryAfterMs: 1000 })
}

function forbidden(subject: string): SvcError {
  return new SvcError('forbidden', `the credentials do not allow ${subject}`, { code: 'bus_forbidden' })
}
