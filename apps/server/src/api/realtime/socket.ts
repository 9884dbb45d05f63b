import { SvcError } from '@svc/errors'
import { numberId } from '../../http/number-id.ts'
import { isReaderGone } from '../../http/reply-writer.ts'
import { ACCESS_ENDED, type Socket } from '../../http/websocket.ts'
import type { Clock } from '../../ports.ts'
import type { Realtime } from '../../realtime/open-session.ts'
import type { RealtimePeer, RealtimeSession } from '../../realtime/ports.ts'
import { hideErrors, toErrorEvent } from '../../realtime/session/event-error.ts'
import { newId } from '../../realtime/session/ids.ts'
import type { BeginTurn } from '../../realtime/session/turn-caller.ts'
import { findSessionEnd } from '../../realtime/session-end.ts'
import { readRequestTags, TAGS_HEADER } from '../../spend/request-tags.ts'
import { bindToSecret, type FindSecret, type SessionWish } from './bind-to-secret.ts'
import { createThrottle } from './throttle.ts'

/** Parts of {@link serveRealtime}. */
export interface SocketParts {
  readonly open: Realtime['open']
  readonly findSecret: FindSecret
  /** Time without an event or sound after which a session ends, milliseconds; 0 = never. */
  readonly idleMs: () => number
  readonly clock: Clock
  /** Whether clients see no details of errors. @default false */
  readonly hidesErrors?: boolean | undefined
}

/** Serves a realtime session on a WebSocket, to the end of either. */
export async function serveRealtime(socket: Socket, parts: SocketParts): Promise<void> {
  const { call } = socket
  const ended = new AbortController()
  const peer = createPeer(socket)
  let session: RealtimeSession | undefined
  try {
    session = await parts.open(
      {
        ...(await readWish(socket, parts)),
        peer,
        principal: call.principal,
        begin: createBegin(socket),
        log: call.log,
      },
      { signal: call.signal },
    )
    await takeMessages(socket, session, { ...parts, ended })
  } catch (error) {
    if (isReaderGone(error) || call.signal.aborted) return
    if (session !== undefined) throw error
    await refuse(socket, error, parts)
  } finally {
    ended.abort()
    await session?.close()
  }
}

/** Reads what a socket asks for: the query says it, or the client secret that opened the socket. */
async function readWish({ call }: Socket, { findSecret }: SocketParts): Promise<SessionWish> {
  readRequestTags(call.header(TAGS_HEADER))
  const fields = call.query('intent') === 'transcription' ? { type: 'transcription' as const } : {}
  return bindToSecret({ model: call.query('model') ?? '', fields }, call, findSecret)
}

/** Takes the messages of a client until it leaves, is silent for too long, or its time is over. */
async function takeMessages(
  socket: Socket,
  session: RealtimeSession,
  { clock, idleMs, ended }: SocketParts & { readonly ended: AbortController },
): Promise<void> {
  const throttle = createThrottle(clock)
  const over = new AbortController()
  let heardAt = clock.monotonic()
  const tooLong = waitForEnd({ clock, idleMs, signal: ended.signal, heardAt: () => heardAt })
  tooLong.then(
    () => over.abort(),
    () => undefined,
  )
  for await (const { bytes, isBinary } of socket.messages({ until: over.signal })) {
    heardAt = clock.monotonic()
    await (isBinary ? session.hearBytes(bytes) : session.receive(bytes))
    await throttle.pass(socket.call.signal)
  }
  if (!over.signal.aborted) return
  const error = await tooLong
  await socket.send(toText({ event_id: newId('event'), ...toErrorEvent(error) }))
  socket.close(1001, error.message)
}

/** Resolves when the session has been silent for too long, or is too old. */
async function waitForEnd(parts: {
  readonly clock: Clock
  readonly idleMs: () => number
  readonly signal: AbortSignal
  readonly heardAt: () => number
}): Promise<SvcError> {
  const { clock, idleMs, signal, heardAt } = parts
  const beganAt = clock.monotonic()
  for (;;) {
    const now = clock.monotonic()
    const { at, error } = findSessionEnd({ beganAt, heardAt: heardAt(), idleMs: idleMs() })
    if (now >= at) return error
    await clock.sleep(at - now, { signal })
  }
}

function createPeer(socket: Socket): RealtimePeer {
  return {
    transport: 'websocket',
    signal: socket.call.signal,
    send: (event) => socket.send(toText(event)),
    close: (code, reason) => socket.close(code, reason),
  }
}

/** Begins the turns of a socket with the rights of the moment. */
function createBegin(socket: Socket): BeginTurn {
  const { call } = socket
  return async (turn, { signal }) => {
    const requestId = numberId(call.requestId, turn)
    const derived = await socket.begin({ requestId, signal })
    return { caller: derived.call, signal: derived.call.signal, close: derived.close }
  }
}

/** Tells why there is no session, and closes the socket. */
async function refuse(socket: Socket, error: unknown, { hidesErrors }: SocketParts): Promise<void> {
  const event = toErrorEvent(error)
  if (!SvcError.is(error) || error.kind === 'internal')
    socket.call.log.warn({ err: error }, 'a realtime session failed')
  const shown = hidesErrors === true ? hideErrors(event) : event
  await socket.send(toText({ event_id: newId('event'), ...shown }))
  const { kind = 'internal' } = SvcError.is(error) ? error : {}
  if (kind === 'unauthenticated' || kind === 'forbidden') socket.close(1008, ACCESS_ENDED)
  else if (kind === 'unavailable' || kind === 'rate_limited') socket.close(1013, 'try again later')
  else if (kind === 'invalid_request' || kind === 'not_found') socket.close(1008, 'no session')
  else socket.close(1011, 'no session')
}

const toText = (event: unknown): string => JSON.stringify(event)
