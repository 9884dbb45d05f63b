import { and, asc, count, desc, eq, inArray, lt, notInArray, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { leaseClock } from '../db/lease-clock.ts'
import { createPlacedId } from '../db/placed-id.ts'
import type { Queries } from '../db/queries.ts'
import type { Clock } from '../ports.ts'
import { tooMany } from './agent-errors.ts'
import {
  type AgentJob,
  type ClaimedJob,
  type JobDraft,
  type JobMedia,
  type JobOutcome,
  type JobStatus,
  type JobStep,
  type JobSummary,
  keepAddresses,
  type OpenCall,
} from './job.ts'
import { isFree, LEASE_MS, summaryColumns, textLength, toClaimed, toJob, toStep, toSummary } from './job-rows.ts'
import { toStorable } from './storable-text.ts'
import { takeWithin } from './take-within.ts'
import { AGENT_LIMITS } from './task.ts'

/** Ends a run whose job is no longer its own: it was cancelled, deleted, or taken by another server. */
export class JobLost extends Error {
  override readonly name = 'JobLost'
}

/** Which jobs a list holds. */
export interface JobFilter {
  readonly taskId?: string | undefined
  readonly agent?: string | undefined
  readonly status?: JobStatus | undefined
  readonly limit: number
}

/** Jobs in the database, which is their queue. */
export interface JobStore {
  /** @param queries a transaction to join @throws {SvcError} `insufficient_storage` when too many wait */
  insert(draft: JobDraft, queries?: Queries): Promise<string>
  get(id: string): Promise<AgentJob | undefined>
  /** The newest first. The list ends early where its texts get too long together. */
  list(filter: JobFilter): Promise<readonly JobSummary[]>
  listSteps(id: string): Promise<readonly JobStep[]>
  /** Whether a job of a task waits. */
  hasWaiting(taskId: string): Promise<boolean>
  /** Takes the oldest job that is free. @param running ids of the jobs that this server runs */
  claim(running: readonly string[]): Promise<ClaimedJob | undefined>
  /** Renews the lease of a job. @throws {JobLost} */
  renew(job: Pick<ClaimedJob, 'id' | 'fence'>): Promise<void>
  /** Adds steps to a job, and replaces its open calls. @throws {JobLost} nothing is written then */
  append(
    job: Pick<ClaimedJob, 'id' | 'fence'>,
    steps: readonly JobStep[],
    openCalls: readonly OpenCall[],
  ): Promise<void>
  /** Ends a job. The bytes of its media go. @throws {JobLost} */
  finish(job: Pick<ClaimedJob, 'id' | 'fence' | 'media'>, outcome: JobOutcome): Promise<void>
  /** Gives a job back, to be taken over at once. */
  release(job: Pick<ClaimedJob, 'id' | 'fence'>): Promise<void>
  /** Cancels a job. The bytes of its media go. @returns whether it waited or ran */
  cancel(id: string): Promise<boolean>
  /** @returns whether it was there */
  remove(id: string): Promise<boolean>
  /** Removes finished jobs of a time before. @returns their number */
  trim(before: number): Promise<number>
  /** Removes finished jobs of an agent: its conversation begins anew. @returns their number */
  forget(agent: string): Promise<number>
}

const RUNNING = ['pending', 'running'] as const
const FINISHED = ['completed', 'failed', 'cancelled'] as const
const BATCH = 200
const CUT = ' [cut]'

/** Creates the store. @param options `server` is the id of this server */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one short query after another
export function createJobStore(options: {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly server: string
  readonly clock: Pick<Clock, 'now'>
}): JobStore {
  const { database, server, clock } = options
  const { queries } = database
  const lease = () => sql`${leaseClock(database, clock)} + ${LEASE_MS}`

  /** Changes a job that this server runs. */
  async function changeOwn(
    on: Queries,
    { id, fence }: Pick<ClaimedJob, 'id' | 'fence'>,
    values: Record<string, unknown>,
  ): Promise<void> {
    const changed = await on.change((db, { agentJobs: jobs }) =>
      db
        .update(jobs)
        .set(values)
        .where(and(eq(jobs.id, id), eq(jobs.fence, fence), eq(jobs.status, 'running'))),
    )
    if (changed === 0) throw new JobLost('the job belongs to nobody or to another server')
  }

  async function removeFinished({
    before,
    agent,
  }: {
    readonly before?: number
    readonly agent?: string
  }): Promise<number> {
    for (let removed = 0; ; ) {
      const old = await queries.rows((db, { agentJobs: jobs }) =>
        db
          .select({ id: jobs.id })
          .from(jobs)
          .where(
            and(
              inArray(jobs.status, [...FINISHED]),
              before === undefined ? undefined : lt(jobs.completedAt, before),
              agent === undefined ? undefined : eq(jobs.agent, agent),
            ),
          )
          .limit(BATCH),
      )
      const ids = old.map(({ id }) => id)
      if (ids.length > 0) {
        await queries.transaction(async (transaction) => {
          await transaction.change((db, { agentJobs: jobs }) => db.delete(jobs).where(inArray(jobs.id, ids)))
          await removeSteps(transaction, ids)
        })
      }
      removed += ids.length
      if (ids.length < BATCH) return removed
    }
  }

  async function removeSteps(on: Queries, ids: readonly string[]): Promise<void> {
    await on.change((db, { agentJobSteps: steps }) => db.delete(steps).where(inArray(steps.jobId, [...ids])))
  }

  return {
    async insert({ parameters, media, ...draft }, on) {
      const now = clock.now()
      const id = createPlacedId('job_', now)
      const insert = async (transaction: Queries): Promise<void> => {
        const [waiting] = await transaction.rows((db, { agentJobs: jobs }) =>
          db.select({ jobs: count() }).from(jobs).where(eq(jobs.status, 'pending')),
        )
        if (Number(waiting?.jobs ?? 0) >= AGENT_LIMITS.waitingJobs) {
          throw tooMany(`${AGENT_LIMITS.waitingJobs} jobs wait already, which is the most`)
        }
        await transaction.change((db, { agentJobs: jobs }) =>
          db.insert(jobs).values({
            ...draft,
            model: toStorable(draft.model),
            prompt: toStorable(draft.prompt),
            id,
            status: 'pending',
            parameters: JSON.stringify(parameters),
            media: JSON.stringify(media),
            openCalls: '[]',
            steps: 0,
            server: '',
            fence: 0,
            leaseUntil: 0,
            createdAt: now,
          }),
        )
      }
      await (on === undefined ? queries.transaction(insert) : insert(on))
      return id
    },
    async get(id) {
      const [row] = await queries.rows((db, { agentJobs: jobs }) => db.select().from(jobs).where(eq(jobs.id, id)))
      return row && toJob(row)
    },
    async list({ taskId, agent, status, limit }) {
      const sizes = await queries.rows((db, { agentJobs: jobs }) =>
        db
          .select({ id: jobs.id, characters: textLength(jobs) })
          .from(jobs)
          .where(
            and(
              taskId === undefined ? undefined : eq(jobs.taskId, taskId),
              agent === undefined ? undefined : eq(jobs.agent, agent),
              status === undefined ? undefined : eq(jobs.status, status),
            ),
          )
          .orderBy(desc(jobs.createdAt), desc(jobs.id))
          .limit(limit),
      )
      const ids = takeWithin(sizes, AGENT_LIMITS.listLength)
      if (ids.length === 0) return []
      const rows = await queries.rows((db, { agentJobs: jobs }) =>
        db
          .select(summaryColumns(jobs))
          .from(jobs)
          .where(inArray(jobs.id, ids))
          .orderBy(desc(jobs.createdAt), desc(jobs.id)),
      )
      return rows.map(toSummary)
    },
    async listSteps(id) {
      const rows = await queries.rows((db, { agentJobSteps: steps }) =>
        db.select().from(steps).where(eq(steps.jobId, id)).orderBy(asc(steps.number)).limit(AGENT_LIMITS.steps),
      )
      return rows.map(toStep)
    },
    async hasWaiting(taskId) {
      const rows = await queries.rows((db, { agentJobs: jobs }) =>
        db
          .select({ id: jobs.id })
          .from(jobs)
          .where(and(eq(jobs.taskId, taskId), eq(jobs.status, 'pending')))
          .limit(1),
      )
      return rows.length > 0
    },
    async claim(running) {
      for (;;) {
        const free = { server, now: leaseClock(database, clock), dialect: database.dialect }
        const [row] = await queries.rows((db, { agentJobs: jobs }) =>
          db
            .select()
            .from(jobs)
            .where(and(isFree(jobs, free), running.length > 0 ? notInArray(jobs.id, [...running]) : undefined))
            .orderBy(asc(jobs.createdAt), asc(jobs.id))
            .limit(1),
        )
        if (row === undefined) return undefined
        const taken = await queries.change((db, { agentJobs: jobs }) =>
          db
            .update(jobs)
            .set({
              status: 'running',
              server,
              fence: row.fence + 1,
              leaseUntil: lease(),
              startedAt: row.startedAt ?? clock.now(),
            })
            .where(and(eq(jobs.id, row.id), eq(jobs.fence, row.fence), isFree(jobs, free))),
        )
        if (taken > 0) return toClaimed(row)
      }
    },
    renew: (job) => changeOwn(queries, job, { leaseUntil: lease() }),
    async append(job, steps, openCalls) {
      await queries.transaction(async (transaction) => {
        const [row] = await transaction.rows((db, { agentJobs: jobs }) =>
          db.select({ steps: jobs.steps }).from(jobs).where(eq(jobs.id, job.id)),
        )
        const first = row?.steps ?? 0
        await changeOwn(transaction, job, {
          steps: first + steps.length,
          openCalls: JSON.stringify(openCalls),
          leaseUntil: lease(),
        })
        if (steps.length === 0) return
        const rows = steps.map((step, index) => toStepRow(job.id, first + index, step))
        await transaction.change((db, { agentJobSteps }) => db.insert(agentJobSteps).values(rows))
      })
    },
    finish: (job, outcome) =>
      changeOwn(queries, job, {
        status: outcome.status,
        completedAt: clock.now(),
        openCalls: '[]',
        media: JSON.stringify(keepAddresses(job.media)),
        ...('result' in outcome ? { result: toStorable(outcome.result) } : { error: toStorable(outcome.error) }),
      }),
    async release(job) {
      await changeOwn(queries, job, { leaseUntil: 0 }).catch((error: unknown) => {
        if (!(error instanceof JobLost)) throw error
      })
    },
    async cancel(id) {
      const [row] = await queries.rows((db, { agentJobs: jobs }) =>
        db.select({ media: jobs.media }).from(jobs).where(eq(jobs.id, id)),
      )
      if (row === undefined) return false
      const media = JSON.stringify(keepAddresses(JSON.parse(row.media) as JobMedia))
      const cancelled = await queries.change((db, { agentJobs: jobs }) =>
        db
          .update(jobs)
          .set({ status: 'cancelled', completedAt: clock.now(), media, fence: sql`${jobs.fence} + 1` })
          .where(and(eq(jobs.id, id), inArray(jobs.status, [...RUNNING]))),
      )
      return cancelled > 0
    },
    async remove(id) {
      return queries.transaction(async (transaction) => {
        const removed = await transaction.change((db, { agentJobs: jobs }) => db.delete(jobs).where(eq(jobs.id, id)))
        await removeSteps(transaction, [id])
        return removed > 0
      })
    },
    trim: (before) => removeFinished({ before }),
    forget: (agent) => removeFinished({ agent }),
  }
}

function toStepRow(jobId: string, number: number, step: JobStep) {
  const { kind, content, callId = '', toolName = '', arguments: args = '', createdAt } = step
  return {
    ...{ jobId, number, kind, createdAt },
    content: cut(content),
    callId: cut(callId),
    toolName: cut(toolName),
    arguments: cut(args),
  }
}

function cut(raw: string): string {
  const { stepLength } = AGENT_LIMITS
  const text = toStorable(raw)
  return text.length <= stepLength ? text : `${text.slice(0, stepLength - CUT.length)}${CUT}`
}
