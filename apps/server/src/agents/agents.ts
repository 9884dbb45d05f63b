import type { Bus } from '../bus/bus.ts'
import type { Database } from '../db/database.ts'
import type { RequestCore } from '../inference/core/pipeline.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Clock, Logger } from '../ports.ts'
import { createRunModel } from './ask-model.ts'
import { createJobStore, type JobStore } from './job-store.ts'
import { createJobWorker, type JobWorker } from './job-worker.ts'
import { createMediaFetcher } from './media-fetcher.ts'
import type { RunJobParts } from './run-job.ts'
import { createScheduler } from './scheduler.ts'
import { createTaskStore, type TaskStore } from './task-store.ts'

/** Agents, tasks and jobs of this server. */
export interface Agents {
  readonly tasks: TaskStore
  readonly jobs: JobStore
  /** Says that tasks have changed. */
  tasksChanged(): void
  /** Says that a job was added, or ended from outside. */
  jobsChanged(): void
  close(): Promise<void>
}

/** Options of {@link openAgents}. */
export interface AgentsOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** Id of this server. */
  readonly server: string
  readonly core: Pick<RequestCore, 'serve'>
  readonly outbound: Pick<OutboundClient, 'fetch'>
  readonly findCaller: RunJobParts['findCaller']
  /** Whether jobs begin and times of tasks count. */
  readonly isOn: () => boolean
  /** Days for which finished jobs are kept; 0 = for ever. */
  readonly retentionDays: () => number
  readonly idleMs: number
  readonly bus: Bus
  readonly clock: Clock
  readonly logger: Logger
}

const DAY_MS = 86_400_000
const TRIM_EVERY_MS = 3_600_000
/** How often to look for jobs that other servers added or left: a message may get lost. */
const LOOK_MS = { postgres: 5000, sqlite: 60_000 } as const

/** Opens the agents, and goes on with the jobs that a server has left. */
export function openAgents(options: AgentsOptions): Agents {
  const { database, bus, clock, logger } = options
  const tasks = createTaskStore({ queries: database.queries, clock })
  const jobs = createJobStore(options)
  const worker: JobWorker = createJobWorker({
    store: jobs,
    runModel: createRunModel(options.core),
    media: createMediaFetcher(options.outbound),
    findCaller: options.findCaller,
    findAgent: () => Promise.reject(new Error('no agents')),
    idleMs: options.idleMs,
    clock,
    logger,
    isOn: options.isOn,
    lookMs: LOOK_MS[database.dialect],
    onSteps: () => undefined,
    onEnd: () => undefined,
  })
  const say = (what: 'tasks' | 'jobs'): void => bus.publish('agents.changed', { what })
  const scheduler = createScheduler({ tasks, jobs, isOn: options.isOn, clock, logger, onJob: () => say('jobs') })
  const closing = new AbortController()
  bus.subscribe(
    'agents.changed',
    ({ what }) => {
      if (what === 'tasks') scheduler.wake()
      if (what !== 'jobs') return
      worker.check()
      worker.wake()
    },
    { signal: closing.signal },
  )
  const trimming = trimJobs(jobs, options, closing.signal)
  worker.wake()
  return {
    tasks,
    jobs,
    tasksChanged: () => say('tasks'),
    jobsChanged: () => say('jobs'),
    async close() {
      closing.abort()
      await Promise.all([scheduler.close(), worker.close(), trimming])
    },
  }
}

/** Removes old jobs from time to time. Never rejects. */
async function trimJobs(
  jobs: JobStore,
  { retentionDays, clock, logger }: Pick<AgentsOptions, 'retentionDays' | 'clock' | 'logger'>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const days = retentionDays()
    try {
      if (days > 0) await jobs.trim(clock.now() - days * DAY_MS)
    } catch (err) {
      logger.warn({ err }, 'old jobs could not be removed')
    }
    await clock.sleep(TRIM_EVERY_MS, { signal }).catch(() => undefined)
  }
}
