import type { Clock, Logger } from '../ports.ts'
import type { JobDraft } from './job.ts'
import type { JobStore } from './job-store.ts'
import { renderPrompt } from './render-prompt.ts'
import { findNextRun } from './schedule.ts'
import type { AgentTask } from './task.ts'
import type { TaskStore } from './task-store.ts'

/** Starts jobs at the times of their tasks. */
export interface Scheduler {
  /** Looks at the times of the tasks again. */
  wake(): void
  close(): Promise<void>
}

/** Parts of {@link createScheduler}. */
export interface SchedulerParts {
  readonly tasks: TaskStore
  readonly jobs: JobStore
  readonly clock: Clock
  readonly logger: Logger
  /** Whether times count; those that pass meanwhile were missed. */
  readonly isOn: () => boolean
  /** Called when a job was added. */
  readonly onJob: () => void
}

/** Longest time between two looks at the clock: somebody may set it. */
const LONGEST_SLEEP_MS = 30_000
/** A time that lies further back was missed. */
const GRACE_MS = 60_000

/** Creates a scheduler that has begun. */
export function createScheduler(parts: SchedulerParts): Scheduler {
  const { tasks, clock, logger } = parts
  const closing = new AbortController()
  /** Tasks whose turn has failed, with the time at which they may try again. */
  const failed = new Map<string, number>()
  let waking = new AbortController()

  /** Fires the due tasks. One that fails waits, and keeps no other waiting. */
  async function fireDue(): Promise<void> {
    const now = clock.now()
    for (const [id, again] of failed) if (again <= now) failed.delete(id)
    for (const task of await tasks.listDue(now, [...failed.keys()])) {
      try {
        await fire(task, parts)
      } catch (err) {
        logger.warn({ err, task: task.id }, 'a due task could not be started')
        failed.set(task.id, clock.now() + LONGEST_SLEEP_MS)
      }
    }
  }

  async function rest(): Promise<void> {
    const next = await tasks.findNextTime([...failed.keys()])
    const left = next === undefined ? LONGEST_SLEEP_MS : next - clock.now()
    if (left <= 0 && parts.isOn()) return
    const signal = AbortSignal.any([closing.signal, waking.signal])
    await clock
      .sleep(left <= 0 ? LONGEST_SLEEP_MS : Math.min(left, LONGEST_SLEEP_MS), { signal })
      .catch(() => undefined)
  }

  async function work(): Promise<void> {
    while (!closing.signal.aborted) {
      waking = new AbortController()
      try {
        if (parts.isOn()) await fireDue()
        await rest()
      } catch (err) {
        logger.warn({ err }, 'the schedule of tasks could not be read')
        await clock.sleep(LONGEST_SLEEP_MS, { signal: closing.signal }).catch(() => undefined)
      }
    }
  }
  const working = work()

  return {
    wake: () => waking.abort(),
    async close() {
      closing.abort()
      await working
    },
  }
}

/** Moves a task to its next time, and adds the job of the time that has come. */
async function fire(task: AgentTask, { tasks, jobs, clock, logger, onJob }: SchedulerParts): Promise<void> {
  const now = clock.now()
  const isMissed = now - (task.nextRunAt ?? now) > GRACE_MS
  const isSkipped = (isMissed && task.cronMissed === 'skip') || (await jobs.hasWaiting(task.id))
  const draft = isSkipped ? undefined : tryDraft(task, logger)
  const hasFired = await tasks.advance(task, findNextRun(task, now), async (queries) => {
    if (draft !== undefined) await jobs.insert(draft, queries)
  })
  if (!hasFired) return
  if (isSkipped) logger.info({ task: task.id, isMissed }, 'a time of a task was skipped')
  else onJob()
}

/** The job of a task; undefined when its prompt cannot be filled in. */
function tryDraft(task: AgentTask, logger: Logger): JobDraft | undefined {
  try {
    return toDraft(task)
  } catch (err) {
    logger.warn({ err, task: task.id }, 'the prompt of a task could not be written')
    return undefined
  }
}

function toDraft(task: AgentTask): JobDraft {
  const { id, owner, model, prompt, cronParameters, mediaSources } = task
  return {
    taskId: id,
    agent: '',
    owner,
    triggeredBy: 'cron',
    model,
    prompt: renderPrompt(prompt, cronParameters),
    parameters: cronParameters,
    media: { images: [], videos: [], audios: [], files: [], sources: mediaSources },
  }
}
