import { and, gt, ne } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { Messenger } from '../contract/messenger.ts'
import { frontEndSubject } from '../contract/subjects.ts'
import { databaseNow } from '../nodes/database-time.ts'

/** Longest wait for one front end, milliseconds. */
const ANSWER_MS = 2000
/** Front ends that are told. */
const MAX_FRONT_ENDS = 256

/** Parts of {@link createFrontEndCalls}. */
export interface FrontEndCallParts {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly messenger: Pick<Messenger, 'request' | 'serve'>
  /** Id of this server among the leases of front ends. */
  readonly id: string
  /** Reads the models and the replicas again: after that no request goes where they forbid it. */
  readonly follow: () => Promise<void>
}

/** Changes of models, told to the other front ends. */
export interface FrontEndCalls {
  /** Tells all that live. @returns whether each of them has read the change. @throws as the database does */
  tellOthers(signal: AbortSignal): Promise<boolean>
  /** Answers no more. */
  close(): void
}

/** Answers the calls of other front ends, and calls them. */
export function createFrontEndCalls({ database, messenger, id, follow }: FrontEndCallParts): FrontEndCalls {
  const { queries, dialect } = database
  const close = messenger.serve(frontEndSubject(id, 'models.follow'), async () => {
    await follow()
    return { followed: true }
  })
  return {
    close,
    async tellOthers(signal) {
      const others = await queries.rows((db, { frontEnds }) =>
        db
          .select({ id: frontEnds.id })
          .from(frontEnds)
          .where(and(ne(frontEnds.id, id), gt(frontEnds.leaseUntil, databaseNow(dialect))))
          .limit(MAX_FRONT_ENDS + 1),
      )
      if (others.length > MAX_FRONT_ENDS) return false
      const told = await Promise.allSettled(
        others.map((other) =>
          messenger.request(frontEndSubject(other.id, 'models.follow'), {}, { signal, timeoutMs: ANSWER_MS }),
        ),
      )
      return told.every(({ status }) => status === 'fulfilled')
    },
  }
}
