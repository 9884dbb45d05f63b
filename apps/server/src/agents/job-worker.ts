import { SvcError } from '@svc/errors'
import { repeat } from '../concurrency/repeat.ts'
import type { Logger } from '../ports.ts'
import type { ClaimedJob, JobOutcome } from './job.ts'
import { LEASE_MS } from './job-rows.ts'
import { JobLost } from './job-store.ts'
import { type RunJobParts, runJob } from './run-job.ts'
import { AGENT_LIMITS } from './task.ts'

/** Runs jobs in the background. The database is the queue. */
export interface JobWorker {
  /** Looks for jobs that wait. */
  wake(): void
  /** Makes sure that the jobs which run here are still those of this server. */
  check(): void
  /** Ends all runs. Their jobs are taken over by the next start, or by another server. */
  close(): Promise<void>
}

/** Parts of {@link createJobWorker}. */
export interface JobWorkerParts extends RunJobParts {
  readonly logger: Logger
  /** Whether jobs may begin. */
  readonly isOn: () => boolean
  /** How often to look for jobs of other servers, milliseconds. */
  readonly lookMs: number
  /** Called when a job has ended here. */
  readonly onEnd: (job: ClaimedJob, outcome: JobOutcome) => void
  /** Jobs at a time. @default AGENT_LIMITS.runningJobs */
  readonly concurrency?: number | undefined
}

interface Running {
  readonly job: ClaimedJob
  readonly ending: AbortController
  readonly done: Promise<void>
}

const RENEW_MS = LEASE_MS / 4

/** Creates a worker at rest. */
export function createJobWorker(parts: JobWorkerParts): JobWorker {
  const { store, clock, logger, concurrency = AGENT_LIMITS.runningJobs } = parts
  const running = new Map<string, Running>()
  const closing = new AbortController()
  let hasNews = false
  let looking: Promise<void> | undefined

  async function look(): Promise<void> {
    do {
      hasNews = false
      while (running.size < concurrency && !closing.signal.aborted && parts.isOn()) {
        const job = await store.claim([...running.keys()])
        if (job === undefined) break
        start(job)
      }
    } while (hasNews)
  }

  function wake(): void {
    hasNews = true
    if (looking !== undefined || closing.signal.aborted) return
    looking = look()
      .catch((err: unknown) => {
        hasNews = false
        logger.warn({ err }, 'jobs of agents could not be read')
      })
      .finally(() => {
        looking = undefined
        if (hasNews) wake()
      })
  }

  function start(job: ClaimedJob): void {
    const ending = new AbortController()
    const entry: Running = { job, ending, done: work(job, ending.signal) }
    running.set(job.id, entry)
    void entry.done.finally(() => {
      running.delete(job.id)
      wake()
    })
  }

  /** Never rejects. */
  async function work(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    try {
      const outcome = await runJob(job, parts, signal)
      await store.finish(job, outcome)
      parts.onEnd(job, outcome)
    } catch (error) {
      if (error instanceof JobLost || signal.reason instanceof JobLost) return
      if (!signal.aborted) logger.error({ err: error, job: job.id }, 'a job of an agent failed')
      const failure = { status: 'failed', error: 'the server failed to run the job' } as const
      await (signal.aborted ? store.release(job) : store.finish(job, failure)).catch((err: unknown) => {
        logger.warn({ err, job: job.id }, 'the state of a job could not be written')
      })
    }
  }

  async function renew({ job, ending }: Running): Promise<void> {
    try {
      await store.renew(job)
    } catch (error) {
      if (error instanceof JobLost) ending.abort(error)
      else logger.warn({ err: error, job: job.id }, 'the lease of a job could not be renewed')
    }
  }

  function check(): void {
    for (const entry of running.values()) void renew(entry)
  }

  const pauses = { clock, signal: closing.signal }
  const tending = [repeat(RENEW_MS, check, pauses), repeat(parts.lookMs, wake, pauses)]

  return {
    wake,
    check,
    async close() {
      const reason = new SvcError('unavailable', 'the server stops', { code: 'stopping' })
      closing.abort(reason)
      await looking
      for (const { ending } of running.values()) ending.abort(reason)
      await Promise.all([...running.values()].map(({ done }) => done))
      await Promise.all(tending)
    },
  }
}
