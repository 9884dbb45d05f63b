import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import { SSE_DONE } from '@svc/wire/sse'
import { type Call, deriveCall } from '../../../http/call.ts'
import { ALREADY_SENT } from '../../../http/edge.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import { Exchange } from '../../../inference/exchange.ts'
import type { ReplyWriter } from '../../../inference/ports.ts'
import type { Clock } from '../../../ports.ts'
import type { LiveResponse, LiveResponses } from '../../../responses/live-responses.ts'
import type { Reader, ResponseStore, StoredResponse } from '../../../responses/response-store.ts'
import { BodyOfCall, type InferenceRouteParts } from '../define-inference-route.ts'
import { responsesCodec } from './codec.ts'
import type { KnownResponses } from './conversation.ts'
import { createSession } from './session.ts'

/** What creating responses needs. */
export interface CreateParts extends InferenceRouteParts {
  readonly clock: Clock
  readonly store: ResponseStore
  readonly live: LiveResponses
  /** Whether clients learn nothing of why something failed. */
  readonly opaqueErrors: boolean
}

/** Why a background response failed while `--opaque-errors` is on. */
const OPAQUE = new SvcError('internal', 'an error occurred')

/** Who a call asks for. */
export function readerOf({ principal }: Call): Reader {
  return { id: principal.id, isAdmin: principal.role === 'admin' }
}

/** Answers `POST /v1/responses`. */
export async function createResponse(call: Call, parts: CreateParts): Promise<Response> {
  await respond(call, { writer: createReplyWriter(call, { compression: parts.compression }) }, parts)
  return ALREADY_SENT
}

/** How a request came, and where its answer goes. */
export interface Channel {
  readonly writer: ReplyWriter
  /** What came as a message of a socket; its answer is always one of events. @default the body of the call */
  readonly message?: JsonDocument | undefined
  /** @default none */
  readonly known?: KnownResponses | undefined
}

/**
 * Answers a request for a response. One in the background runs on through the pipeline on its own: it ends when it is
 * stopped, not when its client leaves.
 *
 * @returns what the client has got; undefined for a response in the background
 * @throws {SvcError} before the first byte whatever refuses or fails it, later only that the client is gone
 */
export async function respond(
  call: Call,
  { writer, message, known }: Channel,
  parts: CreateParts,
): Promise<StoredResponse | undefined> {
  const { store, live, clock } = parts
  const leaving = new AbortController()
  const leave = (): void => leaving.abort(call.signal.reason)
  if (call.signal.aborted) leave()
  else call.signal.addEventListener('abort', leave, { once: true })
  const session = createSession({ store, live, clock, owner: call.principal.id, model: () => exchange.requestedModel })
  const source = { store, live, reader: readerOf(call), known }
  const own = deriveCall(call, { signal: AbortSignal.any([leaving.signal, session.stopped]) })
  const exchange = new Exchange({
    call: own,
    codec: responsesCodec(session, source, { alwaysStreams: message !== undefined }),
    writer: session.record(writer),
    body: message === undefined ? new BodyOfCall(parts.bodies, own) : { message },
  })
  const run = runToEnd()
  live.track(run)
  // the signal of a socket outlives its responses
  const background = await Promise.race([run, session.detached]).finally(() =>
    call.signal.removeEventListener('abort', leave),
  )
  if (background === undefined) return session.current()
  run.catch((error: unknown) => call.log.warn({ err: error }, 'a background response failed'))
  await replyWhileRunning(call, writer, background)
  return undefined

  async function runToEnd(): Promise<undefined> {
    let thrown: unknown = exchange.failure
    try {
      await parts.pipeline(exchange)
      thrown = exchange.failure
    } catch (error) {
      thrown = error
      throw error
    } finally {
      await session.settle(parts.opaqueErrors && thrown !== undefined ? OPAQUE : thrown)
    }
  }
}

async function replyWhileRunning(call: Call, writer: ReplyWriter, response: LiveResponse): Promise<void> {
  const { resource, streamed } = response.current()
  if (streamed) await sendEvents(writer, response.follow(-1, { signal: call.signal }))
  else await writer.json(200, resource)
}

/** Sends frames as a stream of events, to its end. */
export async function sendEvents(writer: ReplyWriter, frames: AsyncIterable<string>): Promise<void> {
  // A failure before the first frame still gets a real status.
  for await (const frame of frames) {
    if (!writer.started) writer.startStream('text/event-stream')
    await writer.write(frame)
  }
  if (!writer.started) writer.startStream('text/event-stream')
  await writer.write(SSE_DONE)
  writer.end()
}
