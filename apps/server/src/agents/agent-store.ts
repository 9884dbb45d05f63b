import { SvcError } from '@svc/errors'
import { asc, count, eq } from 'drizzle-orm'
import type { DatabaseQueries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { Clock } from '../ports.ts'
import type { Agent, AgentConfig } from './agent.ts'
import { agentNotFound, tooMany } from './agent-errors.ts'
import { AGENT_LIMITS } from './task.ts'

/** Agents in the database. */
export interface AgentStore {
  /** In the order of their names. */
  list(): Promise<readonly Agent[]>
  /** @throws {SvcError} `not_found` */
  get(name: string): Promise<Agent>
  /** @throws {SvcError} `conflict` for a name in use, `insufficient_storage` */
  create(config: AgentConfig, owner: string): Promise<void>
  /** Replaces what is said about an agent. @throws {SvcError} `not_found` */
  update(name: string, config: AgentConfig): Promise<void>
  /** @throws {SvcError} `not_found` */
  setActive(name: string, active: boolean): Promise<void>
  /** @throws {SvcError} `not_found` */
  remove(name: string): Promise<void>
}

type Row = Tables['agents']['$inferSelect']

/** Creates the store. */
export function createAgentStore({
  queries,
  clock,
}: {
  readonly queries: DatabaseQueries
  readonly clock: Pick<Clock, 'now'>
}): AgentStore {
  async function change(name: string, values: Partial<Row>): Promise<void> {
    const changed = await queries.change((db, { agents }) =>
      db
        .update(agents)
        .set({ ...values, updatedAt: clock.now() })
        .where(eq(agents.name, name)),
    )
    if (changed === 0) throw agentNotFound('Agent', name)
  }

  return {
    async list() {
      const rows = await queries.rows((db, { agents }) => db.select().from(agents).orderBy(asc(agents.name)))
      return rows.map(toAgent)
    },
    async get(name) {
      const [row] = await queries.rows((db, { agents }) => db.select().from(agents).where(eq(agents.name, name)))
      if (row === undefined) throw agentNotFound('Agent', name)
      return toAgent(row)
    },
    async create(config, owner) {
      const now = clock.now()
      const { name } = config
      await queries.transaction(async (transaction) => {
        const [held] = await transaction.rows((db, { agents }) => db.select({ agents: count() }).from(agents))
        if (Number(held?.agents ?? 0) >= AGENT_LIMITS.agents) {
          throw tooMany(`there are ${AGENT_LIMITS.agents} agents, which is the most`)
        }
        const [same] = await transaction.rows((db, { agents }) =>
          db.select({ name: agents.name }).from(agents).where(eq(agents.name, name)),
        )
        if (same !== undefined)
          throw new SvcError('conflict', `Agent exists already: ${name}`, { code: 'agent_exists' })
        const row = { name, owner, config: JSON.stringify(config), active: 1, createdAt: now, updatedAt: now }
        await transaction.change((db, { agents }) => db.insert(agents).values(row))
      })
    },
    update: (name, config) => change(name, { config: JSON.stringify({ ...config, name }) }),
    setActive: (name, active) => change(name, { active: active ? 1 : 0 }),
    async remove(name) {
      const removed = await queries.change((db, { agents }) => db.delete(agents).where(eq(agents.name, name)))
      if (removed === 0) throw agentNotFound('Agent', name)
    },
  }
}

function toAgent({ config, active, ...row }: Row): Agent {
  return { ...row, config: JSON.parse(config) as AgentConfig, active: active === 1 }
}
