import { SvcError } from '@svc/errors'
import { decodeSse, type SseEvent } from '@svc/wire/sse'

/** The longest event of an upstream's stream, in bytes. */
const MAX_EVENT_BYTES = 4 * 1024 * 1024

/**
 * Reads the events of an upstream's stream.
 *
 * @param tooLarge the failure for an event larger than 4 MiB: the upstream's fault, not the client's
 */
export async function* readSseEvents(
  body: AsyncIterable<Uint8Array>,
  tooLarge: () => SvcError,
): AsyncGenerator<SseEvent, void, undefined> {
  try {
    yield* decodeSse(body, { maxEventBytes: MAX_EVENT_BYTES })
  } catch (error) {
    throw SvcError.is(error) && error.code === 'sse_event_too_large' ? tooLarge() : error
  }
}
