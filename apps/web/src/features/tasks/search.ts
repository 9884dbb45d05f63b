import { readSearchChoice, readSearchText } from '../../lib/search-values.ts'

/** States of a job. */
export const JOB_STATES = ['pending', 'running', 'completed', 'failed', 'cancelled'] as const

/** Search parameters of the list of jobs. */
export interface JobsSearch {
  readonly status?: (typeof JOB_STATES)[number] | undefined
  /** Id of a task. */
  readonly task?: string | undefined
}

export function readJobsSearch({ status, task }: Record<string, unknown>): JobsSearch {
  return { status: readSearchChoice(status, JOB_STATES), task: readSearchText(task) }
}
