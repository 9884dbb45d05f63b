import type { AgentJob, JobInputs, JobStep, JobSummary } from '../../../agents/job.ts'
import type { AgentTask, MediaAddress } from '../../../agents/task.ts'

/** What replies show in place of the value of a header. */
export const MASK = '***'

/** A time on the wire. */
export const toTime = (ms: number): string => new Date(ms).toISOString()

/** Writes a task. The values of headers are masked: they may be keys. */
export function toWireTask(task: AgentTask): object {
  const { id, name, description, model, prompt, enabled, cron, cronTimezone, cronMissed, nextRunAt } = task
  const schedule =
    cron === ''
      ? {}
      : {
          cron,
          cron_timezone: cronTimezone,
          cron_missed: cronMissed,
          cron_parameters: task.cronParameters,
          next_run_at: nextRunAt === undefined ? undefined : toTime(nextRunAt),
        }
  return {
    ...{ id, name, description, model, prompt, enabled },
    created_at: toTime(task.createdAt),
    updated_at: toTime(task.updatedAt),
    ...schedule,
    multimedia_sources: task.mediaSources.length === 0 ? undefined : task.mediaSources.map(toWireSource),
  }
}

function toWireSource({ type, url, headers }: MediaAddress): object {
  if (headers === undefined) return { type, url }
  return { type, url, headers: Object.fromEntries(Object.keys(headers).map((name) => [name, MASK])) }
}

/** Writes a job of a list. */
export function toWireSummary(job: JobSummary): object {
  const { id, agent, model, prompt, status, parameters, result, error, startedAt, completedAt } = job
  return {
    id,
    task_id: job.taskId,
    agent: agent === '' ? undefined : agent,
    ...{ model, prompt, status, parameters, result, error },
    created_at: toTime(job.createdAt),
    started_at: startedAt === undefined ? undefined : toTime(startedAt),
    completed_at: completedAt === undefined ? undefined : toTime(completedAt),
    triggered_by: job.triggeredBy,
  }
}

/** Writes a job with its steps and its media. */
export function toWireJob(job: AgentJob, steps: readonly JobStep[]): object {
  return { ...toWireSummary(job), traces: steps.map(toWireStep), ...toWireMedia(job.media) }
}

function toWireMedia({ images, videos, audios, files }: JobInputs): object {
  const shown = (list: readonly string[]) => (list.length === 0 ? undefined : list)
  return { images: shown(images), videos: shown(videos), audios: shown(audios), files: shown(files) }
}

/** Writes a step as a trace. */
export function toWireStep({ kind, content, createdAt, toolName, arguments: args }: JobStep): object {
  return {
    type: kind === 'thought' || kind === 'text' ? 'reasoning' : kind,
    content,
    timestamp: toTime(createdAt),
    tool_name: toolName,
    arguments: args,
  }
}
