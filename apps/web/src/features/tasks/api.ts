import { queryOptions } from '@tanstack/react-query'
import { api, unwrap } from '../../lib/api-client.ts'
import type { JobsSearch } from './search.ts'

/** Jobs that are shown at once. */
export const SHOWN_JOBS = 200
const LIVE_MS = 1_000

const fetchTasks = (signal?: AbortSignal) => unwrap(api.GET('/api/agent/tasks', signal === undefined ? {} : { signal }))

/** A task. */
export type Task = Awaited<ReturnType<typeof fetchTasks>>[number]
/** A medium that each job of a task fetches. */
export type MediaSource = NonNullable<Task['multimedia_sources']>[number]

/** All tasks, by name. */
export const tasksQuery = queryOptions({ queryKey: ['agent-tasks'], queryFn: ({ signal }) => fetchTasks(signal) })

/** One task. */
export const taskQuery = (id: string) =>
  queryOptions({
    queryKey: ['agent-tasks', id],
    queryFn: ({ signal }) => unwrap(api.GET('/api/agent/tasks/{id}', { params: { path: { id } }, signal })),
  })

/** Members of a task that a person sets. */
export type TaskDraft = Omit<Task, 'id' | 'created_at' | 'updated_at' | 'next_run_at'>

/** Makes a task. @returns its id */
export async function createTask(body: TaskDraft): Promise<string> {
  return (await unwrap(api.POST('/api/agent/tasks', { body }))).id
}

/** Replaces a task. */
export function updateTask(id: string, body: TaskDraft) {
  return unwrap(api.PUT('/api/agent/tasks/{id}', { params: { path: { id } }, body }))
}

export function deleteTask(id: string) {
  return unwrap(api.DELETE('/api/agent/tasks/{id}', { params: { path: { id } } }))
}

/** Runs a task. @returns the id of the job */
export async function runTask(id: string, parameters: Readonly<Record<string, string>>): Promise<string> {
  const body = { task_id: id, parameters: { ...parameters } }
  return (await unwrap(api.POST('/api/agent/jobs/execute', { body }))).job_id
}

/** A job with its steps and media. */
export type Job = Awaited<ReturnType<typeof fetchJob>>

const fetchJob = (id: string, signal?: AbortSignal) =>
  unwrap(api.GET('/api/agent/jobs/{id}', { params: { path: { id } }, ...(signal && { signal }) }))

/** Whether a job waits or runs. */
export const isLive = ({ status }: Pick<Job, 'status'>): boolean => status === 'pending' || status === 'running'

/** The newest jobs that pass the filters; asked for anew while one of them runs. */
export const jobsQuery = ({ status, task }: JobsSearch) =>
  queryOptions({
    queryKey: ['agent-jobs', { status, task }],
    queryFn: ({ signal }) =>
      unwrap(
        api.GET('/api/agent/jobs', {
          params: { query: { limit: String(SHOWN_JOBS), ...(status && { status }), ...(task && { task_id: task }) } },
          signal,
        }),
      ),
    refetchInterval: ({ state: { data } }) => (data?.some(isLive) === true ? 2 * LIVE_MS : false),
  })

/** One job; followed until it ends. */
export const jobQuery = (id: string) =>
  queryOptions({
    queryKey: ['agent-jobs', id],
    queryFn: ({ signal }) => fetchJob(id, signal),
    refetchInterval: ({ state: { data } }) => (data !== undefined && isLive(data) ? LIVE_MS : false),
  })

export function cancelJob(id: string) {
  return unwrap(api.POST('/api/agent/jobs/{id}/cancel', { params: { path: { id } } }))
}

export function deleteJob(id: string) {
  return unwrap(api.DELETE('/api/agent/jobs/{id}', { params: { path: { id } } }))
}
