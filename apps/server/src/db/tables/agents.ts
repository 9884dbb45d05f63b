import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Agents by name. */
export const agentsOnSqlite = sqlite.sqliteTable('agents', {
  name: sqlite.text('name').primaryKey(),
  /** Id of the principal that made it. Its jobs have the rights of this one. */
  owner: sqlite.text('owner').notNull(),
  /** A JSON object. */
  config: sqlite.text('config').notNull(),
  /** 0 while it is paused. */
  active: sqlite.integer('active').notNull(),
  /** Milliseconds since the epoch. */
  createdAt: sqlite.integer('created_at').notNull(),
  updatedAt: sqlite.integer('updated_at').notNull(),
})

export const agentsOnPostgres = pg.pgTable('agents', {
  name: pg.text('name').primaryKey(),
  owner: pg.text('owner').notNull(),
  config: pg.text('config').notNull(),
  active: pg.integer('active').notNull(),
  createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
  updatedAt: pg.bigint('updated_at', { mode: 'number' }).notNull(),
})

/** Tasks: prompts that run as jobs, also at fixed times. */
export const agentTasksOnSqlite = sqlite.sqliteTable(
  'agent_tasks',
  {
    id: sqlite.text('id').primaryKey(),
    /** Id of the principal that made it. Its jobs have the rights of this one. */
    owner: sqlite.text('owner').notNull(),
    name: sqlite.text('name').notNull(),
    description: sqlite.text('description').notNull(),
    model: sqlite.text('model').notNull(),
    prompt: sqlite.text('prompt').notNull(),
    enabled: sqlite.integer('enabled').notNull(),
    /** Empty without a schedule. */
    cron: sqlite.text('cron').notNull(),
    cronTimezone: sqlite.text('cron_timezone').notNull(),
    /** `skip` or `once`. */
    cronMissed: sqlite.text('cron_missed').notNull(),
    /** A JSON object of texts. */
    cronParameters: sqlite.text('cron_parameters').notNull(),
    /** A JSON list. */
    mediaSources: sqlite.text('media_sources').notNull(),
    /** Milliseconds since the epoch; null while nothing is due. */
    nextRunAt: sqlite.integer('next_run_at'),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
    updatedAt: sqlite.integer('updated_at').notNull(),
  },
  (table) => [
    sqlite.index('agent_tasks_by_time').on(table.nextRunAt),
    sqlite.index('agent_tasks_by_name').on(table.name),
  ],
)

export const agentTasksOnPostgres = pg.pgTable(
  'agent_tasks',
  {
    id: pg.text('id').primaryKey(),
    owner: pg.text('owner').notNull(),
    name: pg.text('name').notNull(),
    description: pg.text('description').notNull(),
    model: pg.text('model').notNull(),
    prompt: pg.text('prompt').notNull(),
    enabled: pg.integer('enabled').notNull(),
    cron: pg.text('cron').notNull(),
    cronTimezone: pg.text('cron_timezone').notNull(),
    cronMissed: pg.text('cron_missed').notNull(),
    cronParameters: pg.text('cron_parameters').notNull(),
    mediaSources: pg.text('media_sources').notNull(),
    nextRunAt: pg.bigint('next_run_at', { mode: 'number' }),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    updatedAt: pg.bigint('updated_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.index('agent_tasks_by_time').on(table.nextRunAt), pg.index('agent_tasks_by_name').on(table.name)],
)

/** Jobs: runs of tasks and of agents. */
export const agentJobsOnSqlite = sqlite.sqliteTable(
  'agent_jobs',
  {
    id: sqlite.text('id').primaryKey(),
    /** Id of the task; empty for a run of an agent. */
    taskId: sqlite.text('task_id').notNull(),
    /** Name of the agent; empty for a run of a task. */
    agent: sqlite.text('agent').notNull(),
    /** Id of the principal whose rights it has. */
    owner: sqlite.text('owner').notNull(),
    /** `pending`, `running`, `completed`, `failed` or `cancelled`. */
    status: sqlite.text('status').notNull(),
    /** `manual`, `cron` or `api`. */
    triggeredBy: sqlite.text('triggered_by').notNull(),
    model: sqlite.text('model').notNull(),
    prompt: sqlite.text('prompt').notNull(),
    /** A JSON object of texts. */
    parameters: sqlite.text('parameters').notNull(),
    /** Media of the request, and addresses of further ones, as a JSON object. */
    media: sqlite.text('media').notNull(),
    result: sqlite.text('result'),
    error: sqlite.text('error'),
    /** Calls of tools that were about to run and have no result yet, as a JSON list. */
    openCalls: sqlite.text('open_calls').notNull(),
    /** Number of steps. */
    steps: sqlite.integer('steps').notNull(),
    /** Id of the server that runs it; empty before one does. */
    server: sqlite.text('server').notNull(),
    /** Grows each time that a server takes it. */
    fence: sqlite.integer('fence').notNull(),
    /** Milliseconds since the epoch: until then no other server takes it. */
    leaseUntil: sqlite.integer('lease_until').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
    startedAt: sqlite.integer('started_at'),
    completedAt: sqlite.integer('completed_at'),
  },
  (table) => [
    sqlite.index('agent_jobs_by_status').on(table.status, table.createdAt),
    sqlite.index('agent_jobs_by_task').on(table.taskId, table.createdAt),
    sqlite.index('agent_jobs_by_agent').on(table.agent, table.createdAt),
    sqlite.index('agent_jobs_by_age').on(table.createdAt, table.id),
  ],
)

export const agentJobsOnPostgres = pg.pgTable(
  'agent_jobs',
  {
    id: pg.text('id').primaryKey(),
    taskId: pg.text('task_id').notNull(),
    agent: pg.text('agent').notNull(),
    owner: pg.text('owner').notNull(),
    status: pg.text('status').notNull(),
    triggeredBy: pg.text('triggered_by').notNull(),
    model: pg.text('model').notNull(),
    prompt: pg.text('prompt').notNull(),
    parameters: pg.text('parameters').notNull(),
    media: pg.text('media').notNull(),
    result: pg.text('result'),
    error: pg.text('error'),
    openCalls: pg.text('open_calls').notNull(),
    steps: pg.integer('steps').notNull(),
    server: pg.text('server').notNull(),
    fence: pg.integer('fence').notNull(),
    leaseUntil: pg.bigint('lease_until', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    startedAt: pg.bigint('started_at', { mode: 'number' }),
    completedAt: pg.bigint('completed_at', { mode: 'number' }),
  },
  (table) => [
    pg.index('agent_jobs_by_status').on(table.status, table.createdAt),
    pg.index('agent_jobs_by_task').on(table.taskId, table.createdAt),
    pg.index('agent_jobs_by_agent').on(table.agent, table.createdAt),
    pg.index('agent_jobs_by_age').on(table.createdAt, table.id),
  ],
)

/** Steps of jobs in their order. */
export const agentJobStepsOnSqlite = sqlite.sqliteTable(
  'agent_job_steps',
  {
    jobId: sqlite.text('job_id').notNull(),
    /** Place among the steps of the job, from 0. */
    number: sqlite.integer('number').notNull(),
    /** `thought`, `text`, `tool_call`, `tool_result` or `status`. */
    kind: sqlite.text('kind').notNull(),
    content: sqlite.text('content').notNull(),
    /** Id of the call of a tool; empty for other steps. */
    callId: sqlite.text('call_id').notNull(),
    toolName: sqlite.text('tool_name').notNull(),
    /** JSON text. */
    arguments: sqlite.text('arguments').notNull(),
    /** Milliseconds since the epoch. */
    createdAt: sqlite.integer('created_at').notNull(),
  },
  (table) => [sqlite.primaryKey({ columns: [table.jobId, table.number] })],
)

export const agentJobStepsOnPostgres = pg.pgTable(
  'agent_job_steps',
  {
    jobId: pg.text('job_id').notNull(),
    number: pg.integer('number').notNull(),
    kind: pg.text('kind').notNull(),
    content: pg.text('content').notNull(),
    callId: pg.text('call_id').notNull(),
    toolName: pg.text('tool_name').notNull(),
    arguments: pg.text('arguments').notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.primaryKey({ columns: [table.jobId, table.number] })],
)
