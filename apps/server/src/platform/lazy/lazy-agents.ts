import { SvcError } from '@svc/errors'
import type { AgentModels } from '../../agents/agent-models.ts'
import type { Agents, AgentsOptions } from '../../agents/agents.ts'
import type { Bus } from '../../bus/bus.ts'
import type { ModelDirectory } from '../../catalog/resolve.ts'
import { createLazy } from '../../concurrency/lazy.ts'
import { repeat } from '../../concurrency/repeat.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { Database } from '../../db/database.ts'
import type { StepBatches } from '../../inference/core/events.ts'
import type { PredictAgent } from '../../inference/core/model-calls.ts'
import type { RequestCore } from '../../inference/core/pipeline.ts'
import type { OutboundClient } from '../../outbound/client.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Settings } from '../../settings/settings.ts'
import type { AccountModule } from '../open-accounts.ts'

/** Agents, tasks and jobs. The first use loads their code. */
export interface LazyAgents {
  /** Whether this server has agents. */
  readonly isEnabled: boolean
  /** @throws {SvcError} `not_found` while the setting switches agents off */
  open(): Promise<Agents>
  /** Reads the agents, which are models for requests. */
  load(): Promise<void>
  /** Answers a request that names an agent. */
  predict: PredictAgent
  /** Opens them if an earlier run has left any, or another server makes some. */
  resume(): Promise<void>
  close(): Promise<void>
}

/** Parts of {@link createLazyAgents}. */
export interface LazyAgentsParts {
  readonly config: Pick<ServerConfig, 'disableAgents' | 'agentPoolTimeoutMs'>
  readonly settings: Pick<Settings, 'get'>
  /** Id of this server. */
  readonly server: string
  readonly database: Database
  readonly core: RequestCore
  readonly outbound: OutboundClient
  readonly accounts: Pick<AccountModule, 'isInUse' | 'hasSharedKeys' | 'stores'>
  readonly models: Pick<ModelDirectory, 'find'>
  readonly skills: AgentsOptions['skills']
  /** Gets the agents as models. */
  readonly agentModels: AgentModels
  readonly bus: Bus
  readonly clock: Clock
  readonly logger: Logger
}

/** Interval of looks at whether there are agents now. */
const LOOK_MS = 30_000

const TABLES = ['agents', 'agent_tasks', 'agent_jobs'] as const

/** Makes the agents of a server. Nothing of them is loaded yet. */
export function createLazyAgents(parts: LazyAgentsParts): LazyAgents {
  const {
    config,
    settings,
    server,
    database,
    core,
    outbound,
    accounts,
    models,
    skills,
    agentModels,
    bus,
    clock,
    logger,
  } = parts
  const isOn = (): boolean => settings.get('agent_pool_enabled')
  const { open, opened, settled } = createLazy(async () => {
    const { openAgents } = await import('../../agents/agents.ts')
    const { createCallerFinder } = await import('../../document-stores/find-caller.ts')
    return openAgents({
      ...{ database, server, core, outbound, models, skills, agentModels, bus, clock, logger },
      findCaller: createCallerFinder({ ...accounts, hasAccounts: accounts.isInUse, clock, logger }),
      isOn,
      retentionDays: () => settings.get('agent_job_retention_days'),
      defaultModel: () => settings.get('agent_pool_default_model'),
      logsSteps: () => settings.get('agent_pool_enable_logs'),
      idleMs: config.agentPoolTimeoutMs,
    })
  })
  const ending = new AbortController()
  let looking: Promise<void> | undefined

  async function load(): Promise<void> {
    if (config.disableAgents || !isOn() || !(await database.queries.holdsRows('agents'))) return
    const { createAgentStore } = await import('../../agents/agent-store.ts')
    agentModels.set(await createAgentStore({ queries: database.queries, clock }).list())
  }

  /** Opens the agents once there are any. */
  async function openUsed(): Promise<void> {
    for (const table of TABLES) {
      if (await database.queries.holdsRows(table)) {
        await open()
        return
      }
    }
  }

  async function* predict(...[request, agent, task]: Parameters<PredictAgent>): StepBatches {
    yield* (await open()).predict(request, agent, task)
  }

  return {
    predict,
    load,
    isEnabled: !config.disableAgents,
    async open() {
      if (!isOn()) throw switchedOff()
      return open()
    },
    async resume() {
      const wake = (): void => void open().catch((err: unknown) => logger.warn({ err }, 'agents could not be opened'))
      bus.subscribe('agents.changed', wake, { signal: ending.signal })
      await openUsed()
      // Another server may make the first one, and its message may be lost.
      if (database.dialect !== 'postgres') return
      const look = async (): Promise<void> => {
        if (opened() !== undefined) return
        await Promise.all([load(), openUsed()]).catch((err: unknown) => logger.debug({ err }, 'agents are unknown'))
      }
      looking = repeat(LOOK_MS, look, { clock, signal: ending.signal })
    },
    async close() {
      ending.abort()
      await looking
      await (await settled())?.close()
    },
  }
}

function switchedOff(): SvcError {
  return new SvcError('not_found', 'agents are switched off (agent_pool_enabled)', { code: 'agents_off' })
}
