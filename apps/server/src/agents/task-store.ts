import { randomUUID } from 'node:crypto'
import { and, asc, count, eq, inArray, isNotNull, lte, min, notInArray, type SQL, sql } from 'drizzle-orm'
import type { DatabaseQueries, Queries } from '../db/queries.ts'
import type { Tables } from '../db/schema.ts'
import type { Clock } from '../ports.ts'
import { agentNotFound, tooMany } from './agent-errors.ts'
import { findNextRun } from './schedule.ts'
import { toStorable } from './storable-text.ts'
import { takeWithin } from './take-within.ts'
import { AGENT_LIMITS, type AgentTask, type MediaAddress, type MissedRuns, type TaskDraft } from './task.ts'

/** Tasks in the database. */
export interface TaskStore {
  /** @throws {SvcError} `insufficient_storage` for more tasks than a server keeps */
  create(draft: TaskDraft, owner: string): Promise<AgentTask>
  /**
   * Lists tasks in the order of their names. The list ends early where its texts get too long.
   *
   * @param after the id of the last task of the list before; no task is found after an unknown one
   */
  list(after?: string): Promise<readonly AgentTask[]>
  /** @throws {SvcError} `not_found` */
  get(id: string): Promise<AgentTask>
  /** The oldest task of a name. @throws {SvcError} `not_found` */
  getByName(name: string): Promise<AgentTask>
  /** Replaces what is said about a task. @throws {SvcError} `not_found` */
  update(id: string, draft: TaskDraft): Promise<void>
  /** @throws {SvcError} `not_found` */
  remove(id: string): Promise<void>
  /** The time of the task that is due first. @param passed ids of tasks that do not count */
  findNextTime(passed: readonly string[]): Promise<number | undefined>
  /** Tasks whose time has come, the earliest first. @param passed ids of tasks that do not count */
  listDue(now: number, passed: readonly string[]): Promise<readonly AgentTask[]>
  /**
   * Moves a due task to its next time, and runs work in the same transaction. Of several servers one wins.
   *
   * @returns whether this call has moved it
   */
  advance(task: AgentTask, next: number | undefined, work: (queries: Queries) => Promise<void>): Promise<boolean>
}

/** Due tasks that are read at a time. */
const BATCH = 100

type Row = Tables['agentTasks']['$inferSelect']

/** Creates the store. */
export function createTaskStore({
  queries,
  clock,
}: {
  readonly queries: DatabaseQueries
  readonly clock: Pick<Clock, 'now'>
}): TaskStore {
  async function find(where: (tasks: Tables['agentTasks']) => ReturnType<typeof eq>): Promise<AgentTask | undefined> {
    const [row] = await queries.rows((db, { agentTasks: tasks }) =>
      db.select().from(tasks).where(where(tasks)).orderBy(asc(tasks.createdAt), asc(tasks.id)).limit(1),
    )
    return row && toTask(row)
  }

  return {
    async create(draft, owner) {
      const now = clock.now()
      const row = { id: randomUUID(), owner, ...toRow(draft, now), createdAt: now, updatedAt: now }
      await queries.transaction(async (transaction) => {
        const [held] = await transaction.rows((db, { agentTasks: tasks }) => db.select({ tasks: count() }).from(tasks))
        if (Number(held?.tasks ?? 0) >= AGENT_LIMITS.tasks) {
          throw tooMany(`there are ${AGENT_LIMITS.tasks} tasks, which is the most`)
        }
        await transaction.change((db, { agentTasks: tasks }) => db.insert(tasks).values(row))
      })
      return toTask(row)
    },
    async list(after) {
      const all = await queries.rows((db, { agentTasks: tasks }) =>
        db.select(sizeColumns(tasks)).from(tasks).orderBy(asc(tasks.name), asc(tasks.id)),
      )
      const place = after === undefined ? -1 : all.findIndex(({ id }) => id === after)
      return after !== undefined && place < 0 ? [] : readTasks(queries, all.slice(place + 1))
    },
    async get(id) {
      const task = await find((tasks) => eq(tasks.id, id))
      if (task === undefined) throw agentNotFound('Task', id)
      return task
    },
    async getByName(name) {
      const task = await find((tasks) => eq(tasks.name, name))
      if (task === undefined) throw agentNotFound('Task', name)
      return task
    },
    async update(id, draft) {
      const now = clock.now()
      const changed = await queries.change((db, { agentTasks: tasks }) =>
        db
          .update(tasks)
          .set({ ...toRow(draft, now), updatedAt: now })
          .where(eq(tasks.id, id)),
      )
      if (changed === 0) throw agentNotFound('Task', id)
    },
    async remove(id) {
      const removed = await queries.change((db, { agentTasks: tasks }) => db.delete(tasks).where(eq(tasks.id, id)))
      if (removed === 0) throw agentNotFound('Task', id)
    },
    async findNextTime(passed) {
      const [row] = await queries.rows((db, { agentTasks: tasks }) =>
        db
          .select({ next: min(tasks.nextRunAt) })
          .from(tasks)
          .where(and(isNotNull(tasks.nextRunAt), without(tasks, passed))),
      )
      return row?.next == null ? undefined : Number(row.next)
    },
    async listDue(now, passed) {
      const due = await queries.rows((db, { agentTasks: tasks }) =>
        db
          .select(sizeColumns(tasks))
          .from(tasks)
          .where(and(lte(tasks.nextRunAt, now), without(tasks, passed)))
          .orderBy(asc(tasks.nextRunAt))
          .limit(BATCH),
      )
      // Another server may have moved a task meanwhile.
      return (await readTasks(queries, due)).filter(({ nextRunAt }) => nextRunAt !== undefined && nextRunAt <= now)
    },
    async advance({ id, nextRunAt, updatedAt }, next, work) {
      if (nextRunAt === undefined) return false
      return queries.transaction(async (transaction) => {
        const moved = await transaction.change((db, { agentTasks: tasks }) =>
          db
            .update(tasks)
            .set({ nextRunAt: next ?? null })
            .where(and(eq(tasks.id, id), eq(tasks.nextRunAt, nextRunAt), eq(tasks.updatedAt, updatedAt))),
        )
        if (moved > 0) await work(transaction)
        return moved > 0
      })
    },
  }
}

/** Reads the first tasks of a list, as long as there is room for their texts. */
async function readTasks(
  queries: DatabaseQueries,
  list: Parameters<typeof takeWithin>[0],
): Promise<readonly AgentTask[]> {
  const ids = takeWithin(list, AGENT_LIMITS.listLength)
  if (ids.length === 0) return []
  const rows = await queries.rows((db, { agentTasks: tasks }) => db.select().from(tasks).where(inArray(tasks.id, ids)))
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => byId.get(id) ?? []).map(toTask)
}

/** The id of a task, and the characters of its texts. */
function sizeColumns(tasks: Tables['agentTasks']) {
  const { id, description, prompt, cronParameters, mediaSources } = tasks
  const characters = sql`length(${description}) + length(${prompt}) + length(${cronParameters}) + length(${mediaSources})`
  return { id, characters }
}

function without(tasks: Tables['agentTasks'], ids: readonly string[]): SQL | undefined {
  return ids.length > 0 ? notInArray(tasks.id, [...ids]) : undefined
}

function toRow({ enabled, cronParameters, mediaSources, ...draft }: TaskDraft, now: number) {
  const { name, description, model, prompt } = draft
  return {
    ...draft,
    name: toStorable(name),
    description: toStorable(description),
    model: toStorable(model),
    prompt: toStorable(prompt),
    enabled: enabled ? 1 : 0,
    cronParameters: JSON.stringify(cronParameters),
    mediaSources: JSON.stringify(mediaSources),
    nextRunAt: enabled ? (findNextRun(draft, now) ?? null) : null,
  }
}

function toTask({ enabled, cronMissed, cronParameters, mediaSources, nextRunAt, ...row }: Row): AgentTask {
  return {
    ...row,
    enabled: enabled === 1,
    cronMissed: cronMissed as MissedRuns,
    cronParameters: JSON.parse(cronParameters) as Readonly<Record<string, string>>,
    mediaSources: JSON.parse(mediaSources) as readonly MediaAddress[],
    nextRunAt: nextRunAt ?? undefined,
  }
}
