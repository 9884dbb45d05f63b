import { SvcError } from '@svc/errors'
import type { CallChanges, DerivedCall } from '../../../http/call.ts'
import { responsesError } from '../../../http/error-envelopes.ts'
import { retryAfterSeconds, toStatus } from '../../../http/error-map.ts'
import { isRefusal } from '../../../http/middleware/authorize.ts'
import { numberId } from '../../../http/number-id.ts'
import { isReaderGone } from '../../../http/reply-writer.ts'
import { ACCESS_ENDED, type Socket } from '../../../http/websocket.ts'
import type { ReplyWriter } from '../../../inference/core/ports.ts'
import { readDocument } from '../../../inference/documents/read-json.ts'
import { toPublicError } from '../../../public-error.ts'
import { type CreateParts, respond } from './create.ts'
import { toResponsesError } from './errors.ts'
import { createSocketTurns, type SocketTurns } from './socket-turns.ts'

/** Maximum age of a socket. A running answer is finished first. */
const MAX_AGE_MS = 60 * 60_000

/**
 * Serves the WebSocket mode of `GET /v1/responses`. Each `response.create` message passes the pipeline like the body of
 * a POST, one after the other, and is answered with the events of its response as text messages. A refusal is an
 * `error` message, and the socket stays open.
 */
export async function serveResponses(socket: Socket, parts: CreateParts): Promise<void> {
  const { clock } = parts
  const ended = new AbortController()
  const old = new AbortController()
  clock.sleep(MAX_AGE_MS, { signal: ended.signal }).then(
    () => old.abort(),
    () => undefined,
  )
  const turns = createSocketTurns()
  let count = 0
  try {
    for await (const { bytes } of socket.messages({ until: old.signal })) {
      count += 1
      if (!(await answer(bytes, { socket, turns, number: count }, parts))) return
    }
    if (!old.signal.aborted) return
    await socket.send(toErrorMessage(tooOld(), parts))
    socket.close(1001, 'the socket has been open for 60 minutes')
  } catch (error) {
    if (!isReaderGone(error)) throw error
  } finally {
    ended.abort()
  }
}

interface Turn {
  readonly socket: Socket
  readonly turns: SocketTurns
  /** Number of the message, from 1. */
  readonly number: number
}

/** Answers one message. @returns whether the socket accepts another one */
async function answer(bytes: Uint8Array, { socket, turns, number }: Turn, parts: CreateParts): Promise<boolean> {
  const { call } = socket
  const writer = createSocketWriter(socket)
  let derived: DerivedCall | undefined
  try {
    const requestId = numberId(call.requestId, number)
    derived = await begin(socket, { requestId, startedAt: parts.clock.monotonic(), signal: call.signal })
    const document = await readDocument(bytes, call)
    const type = document.root.get('type')
    if (type?.kind !== 'string' || type.text() !== 'response.create') throw unknownType()
    const response = await respond(call, { writer, derived, message: document, known: turns }, parts)
    if (response !== undefined) turns.keep(response, bytes.length)
    return true
  } catch (thrown) {
    derived?.close()
    if (isReaderGone(thrown)) throw thrown
    const error = toResponsesError(toPublicError(thrown))
    if (toStatus(error) >= 500) call.log.warn({ code: error.code, err: error }, 'request failed')
    if (!writer.started) await socket.send(toErrorMessage(error, parts))
    if (thrown instanceof RightsGone) socket.close(1008, ACCESS_ENDED)
    return !(thrown instanceof RightsGone)
  }
}

/** The refusal of a principal who lost access after opening the socket. */
class RightsGone extends SvcError {
  override readonly name = 'RightsGone'
}

async function begin(socket: Socket, changes: CallChanges): Promise<DerivedCall> {
  try {
    return await socket.begin(changes)
  } catch (error) {
    if (!SvcError.is(error) || !isRefusal(error)) throw error
    throw new RightsGone(error.kind, error.message, { code: error.code, details: error.details, cause: error })
  }
}

/** Sends each event of a stream as a message of its own. */
function createSocketWriter(socket: Socket): ReplyWriter {
  let started = false
  return {
    get started() {
      return started
    },
    json: (_status, value) => socket.send(JSON.stringify(value)),
    get isGone() {
      return socket.call.signal.aborted
    },
    relayTarget: undefined,
    startStream() {
      started = true
    },
    async write(frames) {
      for (const frame of String(frames).split('\n\n')) {
        const start = frame.indexOf('data: {')
        if (start >= 0) await socket.send(frame.slice(start + 'data: '.length))
      }
    },
    end() {
      // the socket stays open
    },
  }
}

/** Codes that clients act on. */
const NAMED_CODES: ReadonlySet<string> = new Set([
  'previous_response_not_found',
  'websocket_connection_limit_reached',
  'pii_unsupported_transport',
])

/** Clients of sockets know these refusals by another type than clients of HTTP do. */
const SOCKET_TYPES: ReadonlyMap<string, string> = new Map([['previous_response_not_found', 'invalid_request_error']])

function toErrorMessage(error: SvcError, { opaqueErrors }: CreateParts): string {
  const status = toStatus(error)
  if (opaqueErrors) {
    const type = status < 500 ? 'invalid_request' : 'server_error'
    return JSON.stringify({
      type: 'error',
      status,
      error: { type, code: null, message: 'an error occurred', param: null },
    })
  }
  const { message, code, param, ...fields } = responsesError(error)
  const type = SOCKET_TYPES.get(error.code) ?? fields.type
  const retryAfter = retryAfterSeconds(error)
  return JSON.stringify({
    type: 'error',
    status,
    error: { type, code: NAMED_CODES.has(error.code) ? error.code : code || null, message, param: param || null },
    ...(retryAfter === undefined ? {} : { headers: { 'retry-after': String(retryAfter) } }),
  })
}

function unknownType(): SvcError {
  return new SvcError('invalid_request', 'type: must be response.create', {
    code: 'unknown_message',
    details: { type: 'invalid_request', param: 'type' },
  })
}

function tooOld(): SvcError {
  return new SvcError('invalid_request', 'this socket has been open for 60 minutes; open another one to go on', {
    code: 'websocket_connection_limit_reached',
    details: { type: 'invalid_request_error' },
  })
}
