import { hash, randomUUID } from 'node:crypto'
import { type AttemptBudget, type AttemptLimiter, createAttemptLimiter } from '@svc/auth/accounts'
import { SvcError } from '@svc/errors'
import { and, desc, eq, gt, inArray, lte, sql } from 'drizzle-orm'
import { runExclusively } from '../../cluster/front-ends/run-exclusively.ts'
import { databaseNow } from '../../cluster/nodes/database-time.ts'
import type { Database } from '../../db/database.ts'
import type { Queries } from '../../db/queries.ts'
import type { Clock, Logger } from '../../ports.ts'

/** Options of {@link createSharedAttemptLimiter}. */
export interface SharedAttemptOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
}

const WINDOW_MS = 60_000
/** Time after which an attempt of a server that was killed no longer counts. */
const RUNNING_MS = 15_000
/** Time between two looks whether attempts at other servers have ended, and the most looks. */
const LOOK_MS = 100
const MAX_LOOKS = 50
/** Name of the row whose lock serialises the attempts of all servers. */
const LOCK = 'attempts_lock'

/**
 * Limits failed attempts of all servers together. Each server counts on its own as well, so that most of a flood meets
 * no database.
 */
export function createSharedAttemptLimiter({ database, clock, logger }: SharedAttemptOptions): AttemptLimiter {
  const own = createAttemptLimiter({ clock })
  const { queries, dialect } = database
  const now = databaseNow(dialect)

  /** Milliseconds until a budget allows an attempt; `busy` while attempts under way could use it up. */
  async function look(inside: Queries, { name, perMinute }: AttemptBudget): Promise<number | 'busy'> {
    const rows = await inside.rows((db, { signInAttempts: attempts }) =>
      db
        .select({ isFailed: attempts.isFailed, leftMs: sql<number>`${attempts.endsAt} - ${now}` })
        .from(attempts)
        .where(and(eq(attempts.name, toName(name)), gt(attempts.endsAt, now)))
        .orderBy(desc(attempts.endsAt)),
    )
    if (rows.length < perMinute) return 0
    const failed = rows.filter(({ isFailed }) => isFailed === 1)
    return failed.length < perMinute ? 'busy' : Math.max(1, Number(failed[perMinute - 1]?.leftMs ?? 1))
  }

  /** Notes an attempt, if all budgets allow it. @returns the budgets that do not */
  function tryBegin(id: string, budgets: readonly AttemptBudget[], passed: ReadonlySet<AttemptBudget>) {
    return runExclusively(database, { name: LOCK, holder: id }, async (inside) => {
      const full: { readonly budget: AttemptBudget; readonly wait: number | 'busy' }[] = []
      for (const budget of budgets.filter((each) => !passed.has(each))) {
        const wait = await look(inside, budget)
        if (wait !== 0) full.push({ budget, wait })
      }
      if (full.length > 0) return full
      await inside.change((db, { signInAttempts }) => db.delete(signInAttempts).where(lte(signInAttempts.endsAt, now)))
      const endsAt = sql<number>`${now} + ${RUNNING_MS}`
      await inside.change((db, { signInAttempts }) =>
        db.insert(signInAttempts).values(budgets.map(({ name }) => ({ id, name: toName(name), isFailed: 0, endsAt }))),
      )
      return full
    })
  }

  async function begin(id: string, budgets: readonly AttemptBudget[], { signal }: { readonly signal: AbortSignal }) {
    const [asked, passed] = [new Set<AttemptBudget>(), new Set<AttemptBudget>()]
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      signal.throwIfAborted()
      const full = await tryBegin(id, budgets, passed)
      if (full.length === 0) return
      for (const { budget } of full.filter((each) => !asked.has(each.budget))) {
        asked.add(budget)
        if ((await budget.isExempt?.({ signal })) === true) passed.add(budget)
      }
      const waits = full.filter(({ budget }) => !passed.has(budget)).map(({ wait }) => wait)
      const longest = Math.max(0, ...waits.map((wait) => (wait === 'busy' ? 0 : wait)))
      if (longest > 0) throw tooMany(longest)
      if (waits.length > 0) await clock.sleep(LOOK_MS, { signal })
    }
    throw tooMany(LOOK_MS * MAX_LOOKS)
  }

  async function end(id: string, budgets: readonly AttemptBudget[], hasFailed: boolean): Promise<void> {
    const names = budgets.map(({ name }) => toName(name))
    await queries.change((db, { signInAttempts: attempts }) => {
      if (!hasFailed) return db.delete(attempts).where(and(inArray(attempts.name, names), eq(attempts.id, id)))
      const failure = { isFailed: 1, endsAt: sql<number>`${now} + ${WINDOW_MS}` }
      // The rows of an attempt that took long may be gone.
      return db
        .insert(attempts)
        .values(names.map((name) => ({ id, name, ...failure })))
        .onConflictDoUpdate({ target: [attempts.name, attempts.id], set: failure })
    })
  }

  return {
    async begin(budgets, call) {
      const attempt = await own.begin(budgets, call)
      const limited = budgets.filter(({ perMinute }) => perMinute > 0)
      if (limited.length === 0) return attempt
      const id = randomUUID()
      try {
        await begin(id, limited, call)
      } catch (error) {
        attempt.end(false)
        throw error
      }
      return {
        end(hasFailed) {
          attempt.end(hasFailed)
          end(id, limited, hasFailed).catch((err: unknown) => {
            logger.warn({ err }, 'the end of an attempt could not be stored')
          })
        },
      }
    },
  }
}

function toName(name: string): string {
  return hash('sha256', name, 'hex')
}

function tooMany(retryAfterMs: number): SvcError {
  return new SvcError('rate_limited', 'too many requests, please try again later', {
    code: 'too_many_attempts',
    retryAfterMs,
  })
}
