import { SvcError } from '@svc/errors'
import { createLiveFeed, followFeed } from '../live-feed/live-feed.ts'
import type { LiveResponse } from './live-responses.ts'

/** Maximum bytes of one response's events in memory. Above it the run ends with an error. */
const MAX_EVENT_BYTES = 64 * 1024 * 1024
/** Maximum number of readers of one response at a time. */
export const MAX_READERS = 1024

/** The events of a running response, as the frames that clients get. Every frame is kept until the run has ended. */
export interface EventLog {
  /** Number of frames; the sequence number of the next one. */
  readonly length: number
  /** Whether it exceeds the limit of one response. */
  readonly isFull: boolean
  /** Frames from a sequence number on. @default all */
  frames(from?: number): readonly string[]
  publish(frames: readonly string[]): void
  end(): void
  follow: LiveResponse['follow']
}

/** Creates an empty log. */
export function createEventLog(): EventLog {
  const feed = createLiveFeed<string>({
    // The run stops publishing when the log is full, because the stored response must have every frame.
    maxEvents: Number.POSITIVE_INFINITY,
    sizeOf: (frame) => frame.length,
    maxReaders: MAX_READERS,
    onFull: tooManyReaders,
  })
  return {
    get length() {
      return feed.next
    },
    get isFull() {
      return feed.size > MAX_EVENT_BYTES
    },
    frames: (from) => feed.kept(from),
    publish(frames) {
      for (const frame of frames) feed.publish(frame)
    },
    end: () => feed.end(),
    follow: (after, { signal }) => followFeed(feed, { from: after + 1, signal }),
  }
}

function tooManyReaders(): SvcError {
  return new SvcError('rate_limited', `no more than ${MAX_READERS} readers can follow a response at a time`, {
    code: 'response_readers',
    retryAfterMs: 1000,
    details: { type: 'rate_limit_error' },
  })
}
