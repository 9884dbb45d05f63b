import type { Call } from '../../http/call.ts'
import type { CompressionPolicy } from '../../http/compression.ts'
import { errorBody } from '../../http/error-envelopes.ts'
import { ALREADY_SENT, HttpReply } from '../../http/http-reply.ts'
import { createReplyWriter } from '../../http/reply-writer.ts'
import type { ReplyWriter } from '../../inference/core/ports.ts'
import type { FeedReader } from '../../live-feed/live-feed.ts'
import type { Clock } from '../../ports.ts'
import { OPAQUE_ERROR, toPublicError } from '../../public-error.ts'

/** Time without an event after which a comment keeps the connection alive. */
const KEEP_ALIVE_MS = 15_000
/** Age at which a stream ends. Its reader connects again and is authenticated again. */
const MAX_AGE_MS = 15 * 60_000

/** The source of a stream of server-sent events. */
export interface EventSource<Event> {
  /** Subscribes to the feed. @throws {SvcError} when it has too many readers */
  open(): FeedReader<Event>
  /** Gives the frames of the present state, sent first. Called after subscribing, so that no change is missed. */
  begin(): string
  /** Gives the frames of events, in order. */
  toFrames(events: readonly Event[]): string
}

/** Common options of event streams. */
export interface EventStreamParts {
  readonly clock: Clock
  readonly compression: CompressionPolicy
  /** Whether errors inside the stream hide their cause. */
  readonly opaqueErrors: boolean
}

/** Answers with the events of a feed until the feed ends, the stream is too old, or the client leaves. */
export async function streamEvents<Event>(
  call: Call,
  source: EventSource<Event>,
  parts: EventStreamParts,
): Promise<HttpReply> {
  if (call.incoming.method === 'HEAD') return new HttpReply(null, { headers: { 'content-type': 'text/event-stream' } })
  const reader = source.open()
  const writer = createReplyWriter(call, parts)
  try {
    const first = source.begin()
    writer.startStream('text/event-stream')
    await writer.write(first)
    await sendEvents(reader, { source, writer, signal: call.signal, clock: parts.clock })
  } catch (error) {
    if (call.outgoing.destroyed) return ALREADY_SENT
    if (!writer.started) throw error
    const body = JSON.stringify(errorBody(parts.opaqueErrors ? OPAQUE_ERROR : toPublicError(error), call.route.family))
    await writer.write(`event: error\ndata: ${body}\n\n`)
  } finally {
    reader.close()
  }
  writer.end()
  return ALREADY_SENT
}

async function sendEvents<Event>(
  reader: FeedReader<Event>,
  {
    source,
    writer,
    signal,
    clock,
  }: {
    readonly source: EventSource<Event>
    readonly writer: ReplyWriter
    readonly signal: AbortSignal
    readonly clock: Clock
  },
): Promise<void> {
  for (const until = clock.monotonic() + MAX_AGE_MS; clock.monotonic() < until; ) {
    await waitForNews(reader, { signal, clock })
    const batch = reader.take()
    if (batch === undefined) return
    await writer.write(batch.events.length === 0 ? ':\n\n' : source.toFrames(batch.events))
  }
}

/** Waits for events, at most until the next keep-alive. @throws the signal's reason */
async function waitForNews(
  reader: FeedReader<unknown>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  const waited = new AbortController()
  const either = AbortSignal.any([signal, waited.signal])
  const timeUp = clock.sleep(KEEP_ALIVE_MS, { signal: either }).catch(() => undefined)
  await Promise.race([reader.wait(either), timeUp])
  waited.abort()
  signal.throwIfAborted()
}
