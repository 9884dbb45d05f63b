import type { SecureContext } from 'node:tls'
import { SvcError } from '@svc/errors'
import { createTrust, TunnelAgent, toDestination, type WayOut } from '@svc/http-client'
import { WebSocket } from 'ws'
import type { LiveSocket, OpenLiveSocket } from './service/live-transcription.ts'

/** The largest message, in bytes. */
const MAX_MESSAGE_BYTES = 10 * 1024 * 1024
/** Most unread messages before the client stops reading from the socket. */
const MAX_WAITING = 64

/**
 * Creates an opener of WebSockets that follows no redirects; aborting the signal closes one.
 *
 * @param ca authorities to trust instead of Node's own, PEM
 * @param wayOut says which addresses are reached through a proxy
 */
export function createSocketOpener(ca: string | undefined, wayOut?: WayOut): OpenLiveSocket {
  const trust = createTrust(ca)
  return (url, options) => {
    const destination = toDestination(url)
    const { isTls } = destination
    const { signal } = options
    const agent =
      wayOut?.find(destination) === undefined ? undefined : new TunnelAgent({ wayOut, isTls, trust, signal })
    return openSocket(url, { ...options, secureContext: trust?.(), agent })
  }
}

function openSocket(
  url: URL,
  {
    headers,
    signal,
    secureContext,
    agent,
  }: Parameters<OpenLiveSocket>[1] & {
    readonly secureContext?: SecureContext | undefined
    readonly agent?: TunnelAgent | undefined
  },
): Promise<LiveSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url, {
      headers: Object.fromEntries(headers),
      followRedirects: false,
      maxPayload: MAX_MESSAGE_BYTES,
      perMessageDeflate: false,
      ...(secureContext === undefined ? {} : { secureContext }),
      ...(agent === undefined ? {} : { agent }),
    })
    const inbox = createInbox(socket)
    signal.addEventListener('abort', () => socket.terminate(), { once: true })
    socket.once('open', () => resolve(toLiveSocket(socket, inbox)))
    socket.once('unexpected-response', (_request, response) => {
      reject(unavailable(`the upstream answered with status ${response.statusCode ?? 0}`))
      socket.terminate()
    })
    socket.on('error', (error) => {
      reject(unavailable('the upstream cannot be reached', error))
      inbox.fail(unavailable('the connection to the upstream was lost', error))
    })
    if (signal.aborted) socket.terminate()
  })
}

function toLiveSocket(socket: WebSocket, inbox: Inbox): LiveSocket {
  return {
    send: (text) =>
      new Promise((resolve, reject) => {
        socket.send(text, (error) => {
          if (error === undefined || error === null) resolve()
          else reject(unavailable('the connection to the upstream was lost', error))
        })
      }),
    messages: inbox.messages(),
    close: () => socket.terminate(),
  }
}

interface Inbox {
  fail(error: unknown): void
  messages(): AsyncGenerator<string, void, undefined>
}

/** Queue of unread messages; the socket pauses while too many wait. */
function createInbox(socket: WebSocket): Inbox {
  const waiting: string[] = []
  let failure: unknown
  let isOver = false
  let wake = (): void => {}
  socket.on('message', (data) => {
    waiting.push(String(data))
    if (waiting.length >= MAX_WAITING) socket.pause()
    wake()
  })
  const end = (): void => {
    isOver = true
    wake()
  }
  socket.once('close', end)
  return {
    fail: (error) => {
      failure ??= error
      end()
    },
    async *messages() {
      for (;;) {
        const next = waiting.shift()
        if (next !== undefined) {
          if (waiting.length < MAX_WAITING) socket.resume()
          yield next
        } else if (isOver) {
          if (failure !== undefined) throw failure
          return
        } else {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
        }
      }
    },
  }
}

function unavailable(message: string, cause?: unknown): SvcError {
  return new SvcError('unavailable', message, { code: 'upstream_unavailable', cause })
}
