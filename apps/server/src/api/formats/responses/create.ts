import type { JsonDocument } from '@svc/json'
import { SSE_DONE } from '@svc/wire/sse'
import type { Bus } from '../../../bus/bus.ts'
import type { Call, DerivedCall } from '../../../http/call.ts'
import { ALREADY_SENT, type HttpReply } from '../../../http/http-reply.ts'
import { createReplyWriter } from '../../../http/reply-writer.ts'
import type { IncomingRequest } from '../../../inference/core/pipeline.ts'
import type { ReplyWriter } from '../../../inference/core/ports.ts'
import type { Clock } from '../../../ports.ts'
import { OPAQUE_ERROR } from '../../../public-error.ts'
import type { LiveResponse, LiveResponses } from '../../../responses/live-responses.ts'
import type { Reader, ResponseStore, StoredResponse } from '../../../responses/stored-response.ts'
import { type InferenceRouteParts, toIncomingRequest } from '../define-inference-route.ts'
import type { KnownResponses } from './conversation.ts'
import { createResponsesFormat } from './format.ts'
import { createRecording, type ResponseRecording } from './response-recording.ts'

/** Options of {@link createResponse}. */
export interface CreateParts extends InferenceRouteParts {
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
  readonly store: ResponseStore
  readonly live: LiveResponses
  /** Whether errors hide their cause from clients. */
  readonly opaqueErrors: boolean
}

/** Gives the reader for a call's principal. */
export function toReader({ principal }: Call): Reader {
  return { id: principal.id, isAdmin: principal.role === 'admin' }
}

/** Answers `POST /v1/responses`. */
export async function createResponse(call: Call, parts: CreateParts): Promise<HttpReply> {
  await respond(call, { writer: createReplyWriter(call, parts), derived: call.derive({ signal: call.signal }) }, parts)
  return ALREADY_SENT
}

/** The transport of a request for a response. */
export interface Channel {
  readonly writer: ReplyWriter
  /** The request inside the call of its client, which ends with the call until it is detached. */
  readonly derived: DerivedCall
  /** A message of a socket; its answer is always a stream of events. @default the body of the call */
  readonly message?: JsonDocument | undefined
  /** @default none */
  readonly known?: KnownResponses | undefined
}

/**
 * Answers a request for a response. A response in the background runs on when its client leaves, until it is stopped or
 * its caller loses the right to it.
 *
 * @param call the call of the client, which for a message is that of its socket
 * @returns the response that the client has; undefined for one in the background
 * @throws {SvcError} before the first byte the refusal or failure; after it only the loss of the client
 */
export async function respond(
  call: Call,
  { writer, derived, message, known }: Channel,
  parts: CreateParts,
): Promise<StoredResponse | undefined> {
  const { store, live, clock } = parts
  const own = derived.call
  let onDetached: (response: LiveResponse) => void = () => undefined
  const detached = new Promise<LiveResponse>((resolve) => {
    onDetached = resolve
  })
  let recording: ResponseRecording | undefined
  const format = createResponsesFormat({
    source: { store, live, reader: toReader(own), known },
    alwaysStreams: message !== undefined,
    open(asked) {
      recording = createRecording(asked, {
        store,
        live,
        clock,
        owner: own.principal.id,
        stop: derived.end,
        onDetached,
      })
      return recording
    },
  })
  const incoming = toIncomingRequest(own, format, parts)
  const run = runToEnd(message === undefined ? incoming : { ...incoming, source: { message } })
  live.track(run)
  const background = await Promise.race([run, detached]).finally(derived.detach)
  if (background === undefined) return recording?.current()
  run.catch((error: unknown) => call.log.warn({ err: error }, 'a background response failed'))
  await replyWhileRunning(call, writer, background)
  return undefined

  async function runToEnd(request: IncomingRequest): Promise<undefined> {
    let failure: unknown
    try {
      failure = (await parts.core.serve(request, parts.deliverTo(writer))).failure
    } catch (error) {
      failure = error
      throw error
    } finally {
      derived.close()
      await recording?.settle(parts.opaqueErrors && failure !== undefined ? OPAQUE_ERROR : failure)
    }
  }
}

async function replyWhileRunning(call: Call, writer: ReplyWriter, response: LiveResponse): Promise<void> {
  const { resource, streamed } = response.current()
  if (streamed) await sendEvents(writer, response.follow(-1, { signal: call.signal }))
  else await writer.json(200, resource)
}

/** Sends all frames as a stream of events. */
export async function sendEvents(writer: ReplyWriter, frames: AsyncIterable<string>): Promise<void> {
  // A failure before the first frame still gets a status of its own.
  for await (const frame of frames) {
    if (!writer.started) writer.startStream('text/event-stream')
    await writer.write(frame)
  }
  if (!writer.started) writer.startStream('text/event-stream')
  await writer.write(SSE_DONE)
  writer.end()
}
