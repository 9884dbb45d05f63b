import { randomInt } from 'node:crypto'
import { and, eq, isNotNull, lte, ne, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'
import type { LoadProgress } from '../contract/nodes.ts'
import { databaseNow } from '../nodes/database-time.ts'

/** Longest text of a failure. */
const MAX_ERROR = 4000
/** A load that begins anew starts anywhere, so that a claim of an earlier load with the same key has no effect. */
const MAX_FENCE = 2 ** 47

/** What a load is for. */
export interface LoadTarget {
  /** Model and replica: `<model>#<index>`. */
  readonly key: string
  readonly model: string
  readonly replicaIndex: number
  readonly configRevision: string
  /** The only node to load it on. @default any */
  readonly nodeId?: string | undefined
}

/** The right to run a load. Every claim has a fence of its own, and a later one takes the right away. */
export interface LoadClaim {
  readonly key: string
  readonly fence: number
}

/** A load as everybody sees it. */
export interface LoadJob extends LoadProgress {
  readonly key: string
  readonly replicaIndex: number
  readonly configRevision: string
  /** Id of the server that runs it. */
  readonly owner: string | undefined
  /** Milliseconds since the epoch, by the clock of the database. */
  readonly startedAt: number
  /** How long the failure is told from now on, milliseconds; absent for a load that has not failed. */
  readonly toldForMs?: number | undefined
}

/** How far a load is. Absent: as before. */
export type LoadStep = Partial<
  Pick<LoadProgress, 'nodeId' | 'nodeName' | 'bytesSent' | 'totalBytes' | 'fileIndex' | 'totalFiles'>
> & { readonly state?: Exclude<LoadProgress['state'], 'failed'> | undefined }

/** Loads of models on workers, in the database. They outlive the server that began them. */
export interface LoadJobs {
  /**
   * Claims a load that nobody runs: a new one, one whose owner went silent, or one whose failure has been told long
   * enough or was that of another revision.
   *
   * @returns undefined while another server runs it or its failure is told
   */
  claim(
    target: LoadTarget,
    options: { readonly owner: string; readonly leaseMs: number },
  ): Promise<LoadClaim | undefined>
  /** Keeps a claim for `leaseMs` more, and notes progress. @returns false when another server has taken the load */
  renew(claim: LoadClaim, options: { readonly leaseMs: number; readonly step?: LoadStep | undefined }): Promise<boolean>
  /** The model is loaded: removes the load. @returns as {@link LoadJobs.renew} */
  finish(claim: LoadClaim): Promise<boolean>
  /** Ends a load with a failure, which is told for `tellMs`. @returns as {@link LoadJobs.renew} */
  fail(claim: LoadClaim, options: { readonly error: string; readonly tellMs: number }): Promise<boolean>
  get(key: string): Promise<LoadJob | undefined>
  /** The loads of a model, or all. */
  list(model?: string): Promise<readonly LoadJob[]>
  /** Loads that nobody runs any more, for a server that takes them over. */
  orphans(): Promise<readonly LoadJob[]>
  /** Removes failures that have been told long enough. @returns how many */
  removeOldFailures(): Promise<number>
}

type Row = Tables['modelLoadJobs']['$inferSelect']
/** Columns by their names; times are computed by the database. */
type JobChange = { readonly [Column in keyof Row]?: Row[Column] | SQL<number> | undefined }

const NO_PROGRESS = {
  nodeId: null,
  nodeName: null,
  bytesSent: 0,
  totalBytes: 0,
  fileIndex: 0,
  totalFiles: 0,
  error: null,
  endsAt: null,
}

/** The loads in a database. */
export function createLoadJobs({ queries, dialect }: Pick<Database, 'queries' | 'dialect'>): LoadJobs {
  const now = databaseNow(dialect)
  const change = async ({ key, fence }: LoadClaim, values: JobChange): Promise<boolean> =>
    (await queries.change((db, { modelLoadJobs: jobs }) =>
      db
        .update(jobs)
        .set(values)
        .where(and(eq(jobs.key, key), eq(jobs.fence, fence), ne(jobs.state, 'failed'))),
    )) > 0
  return {
    async claim({ nodeId: _node, ...target }, { owner, leaseMs }) {
      const taken = { ...NO_PROGRESS, state: 'pending', owner, leaseUntil: later(now, leaseMs), progressAt: now }
      const rows = await queries.transaction((inside) =>
        inside.rows((db, { modelLoadJobs: jobs }) =>
          db
            .insert(jobs)
            .values({ ...target, ...taken, fence: randomInt(MAX_FENCE), startedAt: now })
            .onConflictDoUpdate({
              target: jobs.key,
              set: {
                ...taken,
                configRevision: target.configRevision,
                replicaIndex: target.replicaIndex,
                fence: sql`${jobs.fence} + 1`,
                // A load that is taken over keeps its start, because its longest time counts from there.
                startedAt: sql`case when ${jobs.state} = 'failed' then ${now} else ${jobs.startedAt} end`,
              },
              setWhere: sql`case when ${jobs.state} = 'failed'
                then ${jobs.endsAt} <= ${now} or ${jobs.configRevision} <> ${target.configRevision}
                else ${jobs.leaseUntil} <= ${now} end`,
            })
            .returning({ key: jobs.key, fence: jobs.fence }),
        ),
      )
      return rows[0]
    },
    renew: (claim, { leaseMs, step }) =>
      change(claim, {
        ...step,
        leaseUntil: later(now, leaseMs),
        ...(step === undefined ? {} : { progressAt: now }),
      }),
    async finish({ key, fence }) {
      const count = await queries.change((db, { modelLoadJobs: jobs }) =>
        db.delete(jobs).where(and(eq(jobs.key, key), eq(jobs.fence, fence), ne(jobs.state, 'failed'))),
      )
      return count > 0
    },
    fail: (claim, { error, tellMs }) =>
      change(claim, { state: 'failed', owner: null, error: error.slice(0, MAX_ERROR), endsAt: later(now, tellMs) }),
    async get(key) {
      const rows = await queries.rows((db, { modelLoadJobs: jobs }) => db.select().from(jobs).where(eq(jobs.key, key)))
      return rows[0] && toJob(rows[0])
    },
    async list(model) {
      const rows = await queries.rows((db, { modelLoadJobs: jobs }) =>
        db
          .select({ row: jobs, now })
          .from(jobs)
          .where(model === undefined ? undefined : eq(jobs.model, model))
          .orderBy(jobs.key),
      )
      return rows.map(({ row, now: readAt }) => ({
        ...toJob(row),
        ...(row.endsAt === null ? {} : { toldForMs: Math.max(0, row.endsAt - Number(readAt)) }),
      }))
    },
    async orphans() {
      const rows = await queries.rows((db, { modelLoadJobs: jobs }) =>
        db
          .select()
          .from(jobs)
          .where(and(ne(jobs.state, 'failed'), lte(jobs.leaseUntil, now)))
          .orderBy(jobs.leaseUntil),
      )
      return rows.map(toJob)
    },
    removeOldFailures: () =>
      queries.change((db, { modelLoadJobs: jobs }) =>
        db.delete(jobs).where(and(eq(jobs.state, 'failed'), isNotNull(jobs.endsAt), lte(jobs.endsAt, now))),
      ),
  }
}

const later = (now: ReturnType<typeof databaseNow>, ms: number) => sql<number>`${now} + ${ms}`

const STATES: readonly LoadProgress['state'][] = ['pending', 'installing', 'staging', 'loading', 'failed']

function toJob(row: Row): LoadJob {
  const { key, configRevision, model, bytesSent, totalBytes, fileIndex, totalFiles, startedAt } = row
  const progress = totalBytes > 0 ? Math.min(1, bytesSent / totalBytes) : 0
  const elapsedSeconds = (row.progressAt - startedAt) / 1000
  return {
    key,
    replicaIndex: row.replicaIndex,
    configRevision,
    owner: row.owner ?? undefined,
    startedAt,
    model,
    state: STATES.find((state) => state === row.state) ?? 'pending',
    nodeId: row.nodeId ?? undefined,
    nodeName: row.nodeName ?? undefined,
    progress,
    bytesSent,
    totalBytes,
    fileIndex,
    totalFiles,
    etaSeconds:
      row.state === 'staging' && progress > 0 && elapsedSeconds > 0
        ? Math.ceil((elapsedSeconds * (1 - progress)) / progress)
        : undefined,
    error: row.error ?? undefined,
  }
}
