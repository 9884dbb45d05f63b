import { SvcError } from '@svc/errors'
import type { Bus } from '../../../bus/bus.ts'
import type { FailoverGroupEvent } from '../../../bus/subjects.ts'
import { createLiveFeed, type LiveFeed } from '../../../live-feed/live-feed.ts'
import type { Clock } from '../../../ports.ts'

/** A change of a failover group. */
export interface FailoverNotice {
  readonly group: string
  readonly event: FailoverGroupEvent
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Gives the changes of failover groups to readers, until it ends. */
export type FailoverWatch = Pick<LiveFeed<FailoverNotice>, 'open' | 'end'>

/** Maximum number of readers at a time. */
export const MAX_READERS = 16
/** Maximum number of unread changes of one reader. */
export const MAX_UNREAD = 256

/** Creates a watch without readers. */
export function createFailoverWatch({
  bus,
  clock,
}: {
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Pick<Clock, 'now'>
}): FailoverWatch {
  const feed = createLiveFeed<FailoverNotice>({
    maxEvents: MAX_UNREAD,
    maxReaders: MAX_READERS,
    onFull: tooMany,
    onSlow: tooSlow,
  })
  const unsubscribe = bus.subscribe('failover.changed', ({ group, event }) =>
    feed.publish({ group, event, at: clock.now() }),
  )
  return {
    open: (from) => feed.open(from),
    end() {
      unsubscribe()
      feed.end()
    },
  }
}

function tooMany(): SvcError {
  return new SvcError('rate_limited', `no more than ${MAX_READERS} readers can watch failover groups at a time`, {
    code: 'failover_readers',
    retryAfterMs: 1000,
    details: { type: 'rate_limit_error' },
  })
}

function tooSlow(): SvcError {
  return new SvcError('unavailable', 'the reader is too slow and has missed changes: connect again', {
    code: 'failover_reader_slow',
  })
}
