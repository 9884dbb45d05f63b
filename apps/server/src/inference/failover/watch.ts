import { SvcError } from '@svc/errors'
import type { Clock } from '../../ports.ts'
import type { ChainEvent } from './chains.ts'

/** Something that changed in a chain. */
export interface FailoverNotice {
  readonly chain: string
  readonly event: ChainEvent
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Somebody who is told what changes, from the moment of opening on. */
export interface FailoverReader {
  /**
   * What has changed since the last call, as soon as something has; nothing after `waitMs` without a change, undefined
   * once there will be no more.
   *
   * @throws {SvcError} `unavailable`, code `failover_reader_slow`, for a reader that leaves too much unread; the signal's reason
   */
  take(options: {
    readonly waitMs: number
    readonly signal: AbortSignal
  }): Promise<readonly FailoverNotice[] | undefined>
  close(): void
}

/** Tells readers what changes in chains. */
export interface FailoverWatch {
  publish(chain: string, event: ChainEvent): void
  /** @throws {SvcError} `rate_limited` where there are too many readers */
  open(): FailoverReader
  /** Ends every reader: those with the right to may come again. */
  dropReaders(): void
}

/** Readers at a time. */
export const MAX_READERS = 16
/** Changes that wait for one reader. */
export const MAX_UNREAD = 256

interface Inbox {
  unread: FailoverNotice[]
  state: 'open' | 'slow' | 'ended'
  wake(): void
}

/** A watch without readers. */
export function createFailoverWatch({ clock }: { readonly clock: Clock }): FailoverWatch {
  const inboxes = new Set<Inbox>()
  const end = (inbox: Inbox, state: 'slow' | 'ended'): void => {
    inboxes.delete(inbox)
    inbox.state = state
    inbox.wake()
  }
  return {
    publish(chain, event) {
      const notice = { chain, event, at: clock.now() }
      for (const inbox of [...inboxes]) {
        inbox.unread.push(notice)
        if (inbox.unread.length > MAX_UNREAD) end(inbox, 'slow')
        else inbox.wake()
      }
    },
    open() {
      if (inboxes.size >= MAX_READERS) throw tooMany()
      const inbox: Inbox = { unread: [], state: 'open', wake: () => undefined }
      inboxes.add(inbox)
      return {
        async take({ waitMs, signal }) {
          if (inbox.unread.length === 0 && inbox.state === 'open') await untilWoken(inbox, { clock, waitMs, signal })
          signal.throwIfAborted()
          if (inbox.state === 'slow') throw tooSlow()
          if (inbox.state === 'ended' && inbox.unread.length === 0) return undefined
          return inbox.unread.splice(0)
        },
        close: () => end(inbox, 'ended'),
      }
    },
    dropReaders() {
      for (const inbox of [...inboxes]) end(inbox, 'ended')
    },
  }
}

async function untilWoken(
  inbox: Inbox,
  { clock, waitMs, signal }: { readonly clock: Clock; readonly waitMs: number; readonly signal: AbortSignal },
): Promise<void> {
  const woken = new AbortController()
  inbox.wake = () => woken.abort()
  await clock.sleep(waitMs, { signal: AbortSignal.any([signal, woken.signal]) }).catch(() => undefined)
  inbox.wake = () => undefined
}

function tooMany(): SvcError {
  return new SvcError('rate_limited', `no more than ${MAX_READERS} readers can watch chains at a time`, {
    code: 'failover_readers',
    retryAfterMs: 1000,
    details: { type: 'rate_limit_error' },
  })
}

function tooSlow(): SvcError {
  return new SvcError('unavailable', 'more has changed than was read: ask again for how the chains are', {
    code: 'failover_reader_slow',
  })
}
