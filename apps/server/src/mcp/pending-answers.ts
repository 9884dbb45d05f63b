import type { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'

type Id = string | number

/** The requests of a session that wait for their answers, and their connections. */
export interface PendingAnswers {
  add(id: Id, connection: AbortController): void
  /** Notes that the answer has come. */
  settle(id: Id): void
  /** Cuts the connection of a request that nobody waits for any more. */
  cut(id: Id): void
  /** Ends a request whose answer can no longer come. */
  lose(id: Id, failure: SvcError): void
  /** The same, once the last bytes of its connection had time to be read. */
  loseSoon(id: Id, failure: SvcError): void
  close(): void
}

/** Time in which the last event of an ended stream is still read. */
const DRAIN_MS = 250

interface Pending {
  readonly connection: AbortController
  readonly drain: AbortController
}

/** Creates an empty list. */
export function createPendingAnswers(
  onLost: (id: Id, failure: SvcError) => void,
  clock: Pick<Clock, 'sleep'>,
): PendingAnswers {
  const pending = new Map<Id, Pending>()

  function take(id: Id): Pending | undefined {
    const found = pending.get(id)
    pending.delete(id)
    found?.drain.abort()
    return found
  }
  const lose = (id: Id, failure: SvcError): void => {
    if (take(id) !== undefined) onLost(id, failure)
  }
  return {
    add: (id, connection) => void pending.set(id, { connection, drain: new AbortController() }),
    settle: (id) => void take(id),
    cut: (id) => take(id)?.connection.abort(new DOMException('the request was cancelled', 'AbortError')),
    lose,
    loseSoon(id, failure) {
      const found = pending.get(id)
      if (found === undefined) return
      clock.sleep(DRAIN_MS, { signal: found.drain.signal }).then(
        () => lose(id, failure),
        () => undefined,
      )
    },
    close() {
      for (const id of [...pending.keys()]) take(id)
    },
  }
}
