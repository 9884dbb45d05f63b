import type { Bus } from '../bus/bus.ts'
import { repeat } from '../concurrency/repeat.ts'
import type { Database } from '../db/database.ts'
import type { StepBatches } from '../inference/core/events.ts'
import type { PredictAgent } from '../inference/core/model-calls.ts'
import type { RequestCore } from '../inference/core/pipeline.ts'
import type { OutboundClient } from '../outbound/client.ts'
import type { Clock, Logger } from '../ports.ts'
import { refuseAgent } from './agent-errors.ts'
import { type AgentFeed, createAgentFeed, publishSteps } from './agent-feed.ts'
import type { AgentModels } from './agent-models.ts'
import { type AgentStore, createAgentStore } from './agent-store.ts'
import { createRunModel } from './ask-model.ts'
import type { ClaimedJob } from './job.ts'
import { createJobStore, type JobStore } from './job-store.ts'
import { createJobWorker } from './job-worker.ts'
import { createMediaFetcher } from './media-fetcher.ts'
import { createRunPreparer, type RunPreparerOptions } from './prepare-run.ts'
import type { RunJobParts } from './run-job.ts'
import type { RunMessage } from './run-messages.ts'
import { createScheduler } from './scheduler.ts'
import { serveAgent } from './serve-agent.ts'
import { createTaskStore, type TaskStore } from './task-store.ts'

/** Agents, tasks and jobs of this server. */
export interface Agents {
  readonly agents: AgentStore
  /** What happens to the messages of agents. */
  readonly feed: AgentFeed
  /** Answers a request that names an agent. */
  readonly predict: PredictAgent
  /** Says that agents have changed, and takes their present state. */
  agentsChanged(): Promise<void>
  readonly tasks: TaskStore
  readonly jobs: JobStore
  /** Says that tasks have changed. */
  tasksChanged(): void
  /** Says that a job was added, or ended from outside. */
  jobsChanged(): void
  close(): Promise<void>
}

/** Options of {@link openAgents}. */
export interface AgentsOptions extends RunPreparerOptions {
  readonly database: Pick<Database, 'queries' | 'dialect'>
  /** Id of this server. */
  readonly server: string
  readonly core: Pick<RequestCore, 'serve'>
  readonly outbound: Pick<OutboundClient, 'fetch'>
  readonly findCaller: RunJobParts['findCaller']
  /** Gets the agents as models. */
  readonly agentModels: AgentModels
  /** Whether steps are logged. */
  readonly logsSteps: () => boolean
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

/** Messages of the conversation that an agent sees again: questions with their answers. */
const CONVERSATION = 10

/** Opens the agents, and goes on with the jobs that a server has left. */
export function openAgents(options: AgentsOptions): Agents {
  const { database, bus, clock, logger, isOn } = options
  const tasks = createTaskStore({ queries: database.queries, clock })
  const agents = createAgentStore({ queries: database.queries, clock })
  const jobs = createJobStore(options)
  const runModel = createRunModel(options.core)
  const prepare = createRunPreparer(options)
  const feed = createAgentFeed()
  const worker = createJobWorker({
    store: jobs,
    runModel,
    media: createMediaFetcher(options.outbound),
    findCaller: options.findCaller,
    findAgent: async (name, job) => prepare(await agents.get(name), await readConversation(jobs, job)),
    idleMs: options.idleMs,
    clock,
    logger,
    isOn,
    lookMs: LOOK_MS[database.dialect],
    onSteps(job, steps) {
      publishSteps(feed, job, steps)
      if (!options.logsSteps()) return
      for (const { kind, toolName } of steps) logger.info({ job: job.id, kind, tool: toolName }, 'step of a job')
    },
    onEnd({ agent, id: jobId }, outcome) {
      if (agent !== '') feed.publish({ type: 'end', agent, jobId, outcome, at: clock.now() })
    },
  })

  async function* predict(...[request, name, task]: Parameters<PredictAgent>): StepBatches {
    // A router may lead back to the agent that asked it.
    if (task.context.isInside === true) throw refuseAgent(`an agent asks no other agent: "${name}"`)
    const agent = await prepare(await agents.get(name), [])
    yield* serveAgent(request, { agent, task, runModel })
  }

  async function reload(): Promise<void> {
    options.agentModels.set(isOn() ? await agents.list() : [])
  }
  const reloadQuietly = (): void =>
    void reload().catch((err: unknown) => logger.warn({ err }, 'agents could not be read'))

  const say = (what: 'agents' | 'tasks' | 'jobs'): void => bus.publish('agents.changed', { what })
  const scheduler = createScheduler({ tasks, jobs, isOn, clock, logger, onJob: () => say('jobs') })
  const closing = new AbortController()
  const { signal } = closing
  bus.subscribe(
    'agents.changed',
    ({ what }) => {
      if (what === 'agents') reloadQuietly()
      else if (what === 'tasks') scheduler.wake()
      else {
        worker.check()
        worker.wake()
      }
    },
    { signal },
  )
  bus.subscribe(
    'settings.changed',
    ({ keys }) => {
      if (!keys.includes('agent_pool_enabled')) return
      reloadQuietly()
      scheduler.wake()
      worker.wake()
    },
    { signal },
  )
  const tending = [
    trimJobs(jobs, options, signal),
    // Another server may have changed them, and its message may be lost.
    repeat(database.dialect === 'postgres' ? RELOAD_MS : TRIM_EVERY_MS, reloadQuietly, { clock, signal }),
  ]
  worker.wake()
  return {
    agents,
    feed,
    tasks,
    jobs,
    predict,
    async agentsChanged() {
      await reload()
      say('agents')
    },
    tasksChanged: () => say('tasks'),
    jobsChanged: () => say('jobs'),
    async close() {
      closing.abort()
      feed.end()
      await Promise.all([scheduler.close(), worker.close(), ...tending])
    },
  }
}

const RELOAD_MS = 30_000

/** The latest questions to an agent with their answers, the oldest first. */
async function readConversation(jobs: JobStore, { agent, id }: ClaimedJob): Promise<RunMessage[]> {
  const done = await jobs.list({ agent, status: 'completed', limit: CONVERSATION + 1 })
  return done
    .filter((job) => job.id !== id)
    .slice(0, CONVERSATION)
    .toReversed()
    .flatMap(({ prompt, result = '' }): RunMessage[] => [
      { role: 'user', content: prompt },
      { role: 'assistant', content: result },
    ])
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
