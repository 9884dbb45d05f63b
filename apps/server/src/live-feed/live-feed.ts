import type { SvcError } from '@svc/errors'
import { createEventWindow, type WindowLimits } from './event-window.ts'

/** Events that a reader has not seen before. */
export interface FeedBatch<Event> {
  /**
   * Sequence number of the first event. It is larger than the number after the reader's last event when the feed has
   * dropped events in between.
   */
  readonly first: number
  /** Empty while nothing has happened. */
  readonly events: readonly Event[]
}

/** One reader of a feed: a position in it. A reader holds no events. */
export interface FeedReader<Event> {
  /** Resolves when events arrive, the feed ends, or the signal aborts. */
  wait(signal: AbortSignal): Promise<void>
  /**
   * Takes the events since the last call.
   *
   * @returns undefined once the feed has ended and the reader has taken its last event
   * @throws {SvcError} the feed's `onSlow` error when the feed has dropped events that the reader has not taken
   */
  take(): FeedBatch<Event> | undefined
  /** Leaves the feed; a second call does nothing. */
  close(): void
}

/** A stream of events with a limited number of readers; readers never slow the publisher. */
export interface LiveFeed<Event> {
  /** Sequence number that the next event gets. */
  readonly next: number
  /** Size of the kept events together. */
  readonly size: number
  publish(event: Event): void
  /** Kept events from a sequence number on, oldest first. @default all */
  kept(from?: number): readonly Event[]
  /** Drops the kept events; sequence numbers go on. */
  clear(): void
  /**
   * Opens a reader. @param from sequence number of the first event to take @default the next event @throws {SvcError}
   * the feed's `onFull` error when there are too many readers
   */
  open(from?: number): FeedReader<Event>
  /** Ends every reader after the present events. Later events are kept and have no readers. */
  end(): void
}

/** Limits of a feed. */
export interface LiveFeedOptions<Event> extends WindowLimits<Event> {
  readonly maxReaders: number
  /** Creates the refusal of a reader above the limit. */
  readonly onFull: () => SvcError
  /**
   * Creates the error of a reader that is behind the kept events. @default the reader goes on with the oldest kept
   * event
   */
  readonly onSlow?: (() => SvcError) | undefined
}

interface OpenReader {
  /** Sequence number of the next event to take. */
  position: number
  isSlow: boolean
  wake(): void
}

/** Creates a feed without events and readers. */
export function createLiveFeed<Event>(options: LiveFeedOptions<Event>): LiveFeed<Event> {
  const { maxReaders, onFull, onSlow } = options
  const window = createEventWindow(options)
  const readers = new Set<OpenReader>()
  let endedAt: number | undefined
  const limit = (): number => endedAt ?? window.next

  /** Ends readers that have lost events, so that others get their places. */
  function endSlow(): void {
    if (onSlow === undefined) return
    for (const reader of readers) {
      if (reader.position >= window.first) continue
      reader.isSlow = true
      readers.delete(reader)
    }
  }

  function wakeAll(waiting: Iterable<OpenReader>): void {
    for (const reader of waiting) reader.wake()
  }

  function take(reader: OpenReader): FeedBatch<Event> | undefined {
    if (reader.isSlow && onSlow !== undefined) throw onSlow()
    const first = Math.max(reader.position, window.first)
    if (first >= limit()) return endedAt === undefined ? { first: reader.position, events: [] } : undefined
    reader.position = limit()
    return { first, events: window.from(first).slice(0, limit() - first) }
  }

  return {
    get next() {
      return window.next
    },
    get size() {
      return window.size
    },
    publish(event) {
      window.append(event)
      if (readers.size === 0) return
      const waiting = [...readers]
      endSlow()
      wakeAll(waiting)
    },
    kept: (from = 0) => window.from(from),
    clear: () => window.clear(),
    open(from = window.next) {
      const reader: OpenReader = { position: Math.max(0, from), isSlow: false, wake: () => undefined }
      if (endedAt === undefined) {
        if (readers.size >= maxReaders) throw onFull()
        readers.add(reader)
      }
      return {
        wait(signal) {
          if (reader.isSlow || endedAt !== undefined || reader.position < limit()) return Promise.resolve()
          return untilWoken(reader, signal)
        },
        take: () => take(reader),
        close: () => void readers.delete(reader),
      }
    },
    end() {
      endedAt ??= window.next
      const waiting = [...readers]
      readers.clear()
      wakeAll(waiting)
    },
  }
}

function untilWoken(reader: OpenReader, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    const wake = (): void => {
      signal.removeEventListener('abort', wake)
      reader.wake = () => undefined
      resolve()
    }
    reader.wake = wake
    signal.addEventListener('abort', wake, { once: true })
  })
}

/**
 * Gives the events of a feed from a sequence number on, one by one, until it ends. Opens a reader with the first event
 * and closes it when the consumer leaves.
 *
 * @throws the signal's reason; {@link LiveFeed.open} and {@link FeedReader.take}
 */
export async function* followFeed<Event>(
  feed: Pick<LiveFeed<Event>, 'open'>,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
): AsyncGenerator<Event, void, undefined> {
  const reader = feed.open(from)
  try {
    for (;;) {
      const batch = reader.take()
      if (batch === undefined) return
      for (const event of batch.events) {
        signal.throwIfAborted()
        yield event
      }
      await reader.wait(signal)
      signal.throwIfAborted()
    }
  } finally {
    reader.close()
  }
}
