import { and, eq, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Clock } from '../ports.ts'
import type { AgentJob, ClaimedJob, JobMedia, JobStatus, JobStep, JobSummary, JobTrigger, OpenCall } from './job.ts'

/** The table of jobs. */
export type Jobs = Tables['agentJobs']
/** A row of a job. */
export type JobRow = Jobs['$inferSelect']
type StepRow = Tables['agentJobSteps']['$inferSelect']

/** Time that a job counts as running after the last renewal, milliseconds. */
export const LEASE_MS = 60_000

/** Columns of a job in a list. */
export function summaryColumns(jobs: Jobs) {
  const { id, taskId, agent, owner, status, triggeredBy, model, prompt, parameters, result, error } = jobs
  const { createdAt, startedAt, completedAt } = jobs
  return {
    ...{ id, taskId, agent, owner, status, triggeredBy, model, prompt, parameters, result, error },
    ...{ createdAt, startedAt, completedAt },
  }
}

/** Characters of the long texts of a job in a list. */
export function textLength(jobs: Jobs): SQL {
  const { prompt, parameters, result } = jobs
  return sql`length(${prompt}) + length(${parameters}) + coalesce(length(${result}), 0)`
}

/** A row of a list. */
export type SummaryRow = Pick<JobRow, keyof ReturnType<typeof summaryColumns>>

/** Time by which leases are compared: that of the database server, where several servers share one. */
export function leaseClock({ dialect }: Pick<Database, 'dialect'>, clock: Pick<Clock, 'now'>): SQL {
  return dialect === 'postgres'
    ? sql`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`
    : sql`${Math.trunc(clock.now())}`
}

/** Condition of jobs that a server may take: waiting ones, its own after a restart, and those of servers that are gone. */
export function isFree(jobs: Jobs, { server, now }: { readonly server: string; readonly now: SQL }): SQL | undefined {
  const isAbandoned = and(eq(jobs.status, 'running'), or(eq(jobs.server, server), lt(jobs.leaseUntil, now)))
  return or(eq(jobs.status, 'pending'), isAbandoned)
}

export function toSummary({ parameters, ...row }: SummaryRow): JobSummary {
  return {
    ...row,
    status: row.status as JobStatus,
    triggeredBy: row.triggeredBy as JobTrigger,
    parameters: JSON.parse(parameters) as Readonly<Record<string, string>>,
    result: row.result ?? undefined,
    error: row.error ?? undefined,
    startedAt: row.startedAt ?? undefined,
    completedAt: row.completedAt ?? undefined,
  }
}

export function toJob({
  media,
  openCalls: _,
  steps: __,
  server: ___,
  fence: ____,
  leaseUntil: _____,
  ...row
}: JobRow): AgentJob {
  return { ...toSummary(row), media: JSON.parse(media) as JobMedia }
}

/** @param row as it was before it was taken */
export function toClaimed(row: JobRow): ClaimedJob {
  return {
    ...toJob(row),
    fence: row.fence + 1,
    isTakenOver: row.status === 'running',
    openCalls: JSON.parse(row.openCalls) as readonly OpenCall[],
    steps: row.steps,
  }
}

export function toStep({ kind, content, callId, toolName, arguments: args, createdAt }: StepRow): JobStep {
  return {
    kind: kind as JobStep['kind'],
    content,
    callId: callId || undefined,
    toolName: toolName || undefined,
    arguments: args || undefined,
    createdAt,
  }
}
