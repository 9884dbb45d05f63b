import { SvcError } from '@svc/errors'
import { and, gt, ne } from 'drizzle-orm'
import * as z from 'zod'
import type { Database } from '../../db/database.ts'
import type { Messenger } from '../contract/messenger.ts'
import { FRONT_END_LEFT, frontEndSubject } from '../contract/subjects.ts'
import { databaseNow } from '../nodes/database-time.ts'

/** Longest wait for one front end, milliseconds. */
const ANSWER_MS = 10_000
/** Front ends that are told. */
const MAX_FRONT_ENDS = 256

const departure = z.object({ id: z.string().min(1).max(200) })

/** Parts of {@link createFrontEndCalls}. */
export interface FrontEndCallParts {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly messenger: Pick<Messenger, 'request' | 'serve' | 'publish' | 'subscribe'>
  /** Id of this server among the leases of front ends. */
  readonly id: string
  /** Reads the models and the replicas again: after that no request goes where they forbid it. */
  readonly follow: () => Promise<void>
}

/** Changes of models, told to the other front ends. */
export interface FrontEndCalls {
  /** Tells all that live. @returns whether each of them has read the change. @throws as the database does */
  tellOthers(signal: AbortSignal): Promise<boolean>
  /** Answers no more, and says so to the others. */
  close(): void
}

/** Answers the calls of other front ends, and calls them. */
export function createFrontEndCalls({ database, messenger, id, follow }: FrontEndCallParts): FrontEndCalls {
  const { queries, dialect } = database
  const departures = createDepartures()
  const endCalls = messenger.serve(frontEndSubject(id, 'models.follow'), async () => {
    await follow()
    return { followed: true }
  })
  const endDepartures = messenger.subscribe(FRONT_END_LEFT, (payload) => departures.note(payload))

  async function tell(other: string, signal: AbortSignal): Promise<boolean> {
    try {
      await messenger.request(frontEndSubject(other, 'models.follow'), {}, { signal, timeoutMs: ANSWER_MS })
      return true
    } catch (error) {
      return SvcError.is(error) && error.code === 'no_responders' && departures.has(other)
    }
  }
  return {
    close() {
      endCalls()
      endDepartures()
      messenger.publish(FRONT_END_LEFT, { id })
    },
    async tellOthers(signal) {
      const others = await queries.rows((db, { frontEnds }) =>
        db
          .select({ id: frontEnds.id, leaseUntil: frontEnds.leaseUntil })
          .from(frontEnds)
          .where(and(ne(frontEnds.id, id), gt(frontEnds.leaseUntil, databaseNow(dialect))))
          .limit(MAX_FRONT_ENDS + 1),
      )
      if (others.length > MAX_FRONT_ENDS) return false
      departures.compare(others)
      const told = await Promise.all(others.map((other) => tell(other.id, signal)))
      return told.every(Boolean)
    },
  }
}

/** Front ends that have said that they end. Their leases go on for a while. One that renews its lease is back. */
function createDepartures() {
  /** End of the lease that a front end had left, as soon as it is read. */
  const left = new Map<string, number | undefined>()
  return {
    has: (id: string): boolean => left.has(id),
    note(payload: unknown): void {
      const read = departure.safeParse(payload)
      if (!read.success) return
      left.set(read.data.id, undefined)
      const [oldest] = left.keys()
      if (left.size > MAX_FRONT_ENDS && oldest !== undefined) left.delete(oldest)
    },
    compare(leases: readonly { readonly id: string; readonly leaseUntil: number }[]): void {
      for (const { id, leaseUntil } of leases) {
        if (!left.has(id)) continue
        if (leaseUntil > (left.get(id) ?? leaseUntil)) left.delete(id)
        else left.set(id, leaseUntil)
      }
    },
  }
}
