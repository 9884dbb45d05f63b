import { and, eq, lt, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
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

/** Who takes a job. */
interface Taker extends Pick<Database, 'dialect'> {
  /** Id of the server. A copied data folder has the id of the first one. */
  readonly server: string
  readonly now: SQL
}

/**
 * Condition of jobs that a server may take: waiting ones, and those of servers that are gone. A file of SQLite has one
 * server at a time, so that its own jobs of an earlier run are free at once.
 */
export function isFree(jobs: Jobs, { server, now, dialect }: Taker): SQL | undefined {
  const hasEnded = lt(jobs.leaseUntil, now)
  const isAbandoned = dialect === 'sqlite' ? or(eq(jobs.server, server), hasEnded) : hasEnded
  return or(eq(jobs.status, 'pending'), and(eq(jobs.status, 'running'), isAbandoned))
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
