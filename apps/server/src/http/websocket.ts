import { SvcError } from '@svc/errors'
import type { WebSocket, WebSocketServer } from 'ws'
import type { BodyReader } from './body.ts'
import type { Call, CallChanges, CallState, DerivedCall } from './call.ts'
import { isRefusal } from './middleware/authorize.ts'
import { READ_STALL_MS, readerGone, waitForDrain } from './reply-writer.ts'
import type { RouteInfo } from './route-info.ts'
import type { Reauthorization } from './running-calls.ts'
import { type CloseCode, createInbox, type SocketMessage } from './socket-inbox.ts'
import type { Upgrade } from './upgrade.ts'

/** Limits of sockets (threats WS-1); bodies and messages share the memory that they may take together. */
export interface SocketLimits {
  /** Open at once. */
  readonly maxSockets: number
  /** Time between two pings of a client, milliseconds. A client that is silent twice in a row is gone. */
  readonly pingMs: number
  /** Time that a reader may accept no byte before its socket is cut off, milliseconds. */
  readonly stallMs: number
  /** Time that a client has to confirm that its socket closes, milliseconds. */
  readonly closeMs: number
}

const LIMITS: SocketLimits = { maxSockets: 4096, pingMs: 30_000, stallMs: READ_STALL_MS, closeMs: 2000 }
/** Largest message, bytes, even where bodies may be larger. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** Pieces of one message, and pieces of its received bytes. */
const MAX_FRAGMENTS = 1024
const MAX_CHUNKS = 16 * 1024

/** Why a socket is closed whose opener has lost the right to it; the code is 1008. */
export const ACCESS_ENDED = 'access has ended'

/** A socket, as the handler of its route sees it. */
export interface Socket {
  /** The request that opened it; its signal aborts when the client is gone or the time of a stop is over. */
  readonly call: Call
  /**
   * Messages in their order, text only where the route does not say otherwise, each held until the next one is asked for. Ends when the socket closes, when `until`
   * aborts, and when the server is about to stop.
   */
  messages(options: { readonly until: AbortSignal }): AsyncGenerator<SocketMessage>
  /**
   * Sends a text message, and waits while the reader is behind.
   *
   * @throws {SvcError} `cancelled` when the client is gone or has stalled
   */
  send(text: string): Promise<void>
  /**
   * Begins the request of a message with the rights of now: they may have gone since the socket was opened.
   *
   * @throws {SvcError} `unauthenticated`, `forbidden`
   */
  begin(changes: CallChanges): Promise<DerivedCall>
  /** Closes after the sent messages; a second time does nothing. */
  close(code: CloseCode, reason: string): void
}

/** The sockets of a server. */
export interface Sockets {
  /**
   * Leaves HTTP. The first socket loads the library of the protocol.
   *
   * @throws {SvcError} `invalid_request` for a request that is not a proper handshake, `unavailable` when there are too
   *   many
   */
  accept(upgrade: Upgrade, call: CallState, begin: Socket['begin']): Promise<Socket>
  /**
   * Closes the sockets of callers whose rights have gone; what is answered on them is cut off.
   *
   * @returns whether everybody could be looked up
   */
  reauthorize(reauthorization: Reauthorization): Promise<boolean>
  /** Lets every socket end its present answer, and nothing more. */
  drain(): void
}

/** The refusal of a request without a WebSocket where only sockets are served. */
export function upgradeRequired({ outgoing }: Call): SvcError {
  outgoing.setHeader('Upgrade', 'websocket')
  outgoing.setHeader('Connection', 'Upgrade')
  return new SvcError('invalid_request', 'this address is for WebSockets', { code: 'upgrade_required' })
}

/** Makes the room of sockets. */
export function createSockets(options: {
  readonly bodies: BodyReader
  readonly limits?: Partial<SocketLimits> | undefined
}): Sockets {
  const limits = { ...LIMITS, ...options.limits }
  const maxMessageBytes = Math.min(options.bodies.maxBytes, MAX_MESSAGE_BYTES)
  const open = new Set<OpenSocket>()
  let isDraining = false

  return {
    async accept(upgrade, call, begin) {
      const { WebSocketServer } = await import('ws')
      if (open.size >= limits.maxSockets) throw tooManySockets()
      const ws = shakeHands(
        upgrade,
        call,
        createServer(WebSocketServer, call.route, { maxPayload: maxMessageBytes, closeTimeout: limits.closeMs }),
      )
      const socket = openSocket(ws, { upgrade, call, begin, limits, maxMessageBytes, bodies: options.bodies })
      open.add(socket)
      ws.once('close', () => open.delete(socket))
      if (isDraining) socket.drain()
      return socket
    },
    async reauthorize({ isConcerned, reauthorize }) {
      const concerned = [...open].filter(({ call }) => isConcerned(call.authentication))
      const outcomes = await Promise.all(concerned.map((socket) => closeRefused(socket, reauthorize)))
      return outcomes.every((wasAsked) => wasAsked)
    },
    drain() {
      isDraining = true
      for (const socket of open) socket.drain()
    },
  }
}

/** Closes a socket whose opener may not go on. @returns whether the opener could be looked up */
async function closeRefused(socket: OpenSocket, reauthorize: Reauthorization['reauthorize']): Promise<boolean> {
  try {
    await reauthorize(socket.call)
    return true
  } catch (error) {
    if (!isRefusal(error)) return socket.call.signal.aborted
    socket.close(1008, ACCESS_ENDED)
    return true
  }
}

interface OpenSocket extends Socket {
  readonly call: CallState
  drain(): void
}

interface SocketParts {
  readonly upgrade: Upgrade
  readonly call: CallState
  readonly begin: Socket['begin']
  readonly limits: SocketLimits
  readonly maxMessageBytes: number
  readonly bodies: BodyReader
}

/** Creates the side that answers handshakes. Nothing is ever compressed: texts of different owners never share a window. */
function createServer(
  Server: typeof WebSocketServer,
  { socket }: RouteInfo,
  // The declared options lack `closeTimeout`.
  own: { readonly maxPayload: number; readonly closeTimeout: number },
): WebSocketServer {
  return new Server({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxFragments: MAX_FRAGMENTS,
    maxBufferedChunks: MAX_CHUNKS,
    handleProtocols: (asked) => socket?.protocols.find((protocol) => asked.has(protocol)) ?? false,
    ...own,
  })
}

/** Answers the handshake. */
function shakeHands({ request, connection, head }: Upgrade, { outgoing }: Call, server: WebSocketServer): WebSocket {
  let refusal: Error | undefined
  let accepted: WebSocket | undefined
  server.on('wsClientError', (error: Error) => {
    refusal = error
  })
  server.on('headers', (lines) => {
    for (const [name, value] of Object.entries(outgoing.getHeaders())) lines.push(`${name}: ${String(value)}`)
  })
  server.handleUpgrade(request, connection, head, (ws) => {
    accepted = ws
  })
  if (accepted !== undefined) return accepted
  // The library takes the connection down by itself only where there is nobody to tell.
  if (refusal === undefined) throw readerGone()
  outgoing.setHeader('Sec-WebSocket-Version', '13, 8')
  throw new SvcError('invalid_request', `no WebSocket handshake: ${refusal.message}`, { code: 'handshake' })
}

function openSocket(ws: WebSocket, parts: SocketParts): OpenSocket {
  const { call, limits } = parts
  const { connection } = parts.upgrade
  const { socket: info } = call.route
  let isDraining = false

  function close(code: CloseCode, reason: string): void {
    if (ws.readyState !== ws.OPEN) return
    ws.close(code, reason)
    inbox.wake()
  }
  const inbox = createInbox({
    bodies: parts.bodies,
    maxMessageBytes: parts.maxMessageBytes,
    takesBinary: info?.binary === true,
    setReading: info?.waits === true ? (isReading) => (isReading ? ws.resume() : ws.pause()) : undefined,
    isOver: () => isDraining || call.signal.aborted || ws.readyState !== ws.OPEN,
    refuse: close,
  })
  const pings = startPings(ws, connection, limits.pingMs)

  connection.once('end', () => {
    // The library waits without limit for a client that ends its half to take what was sent.
    const timer = setTimeout(() => ws.terminate(), limits.closeMs)
    ws.once('close', () => clearTimeout(timer))
  })
  // Before the library's own listener, which gives messages out at once.
  connection.prependListener('data', ({ length }: Buffer) => {
    pings.heard()
    if (ws.readyState === ws.OPEN) inbox.addBytes(length)
  })
  ws.on('message', inbox.addMessage)
  // The library closes with the code that fits: 1002, 1007, 1009.
  ws.on('error', () => undefined)
  ws.once('close', () => {
    pings.stop()
    inbox.release()
  })
  call.signal.addEventListener('abort', inbox.wake, { once: true })

  return {
    call,
    begin: parts.begin,
    close,
    drain() {
      isDraining = true
      inbox.wake()
    },
    messages: inbox.read,
    async send(text) {
      if (ws.readyState !== ws.OPEN) throw readerGone()
      ws.send(text)
      if (connection.writableNeedDrain) await waitForDrain(connection, limits.stallMs)
    },
  }
}

/** Asks a client again and again whether it is there, and cuts it off after two silences in a row. */
function startPings(ws: WebSocket, connection: Upgrade['connection'], pingMs: number) {
  let hasHeard = true
  let silences = 0
  const pinging = setInterval(() => {
    // the answers of a client that is not read wait too
    silences = hasHeard || ws.isPaused ? 0 : silences + 1
    hasHeard = false
    if (silences >= 2) ws.terminate()
    // A reader that is behind gets no ping: the writer waits for it.
    else if (!connection.writableNeedDrain) ws.ping()
  }, pingMs)
  return {
    heard() {
      hasHeard = true
    },
    stop: () => clearInterval(pinging),
  }
}

function tooManySockets(): SvcError {
  return new SvcError('unavailable', 'too many sockets are open; retry shortly', {
    code: 'too_many_sockets',
    retryAfterMs: 1000,
  })
}
