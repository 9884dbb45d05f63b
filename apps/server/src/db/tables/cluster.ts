import * as pg from 'drizzle-orm/pg-core'
import * as sqlite from 'drizzle-orm/sqlite-core'

/** Workers of a cluster. */
export const nodesOnSqlite = sqlite.sqliteTable(
  'nodes',
  {
    id: sqlite.text('id').primaryKey(),
    /** Unique. */
    name: sqlite.text('name').notNull(),
    /** `backend` or `agent`. */
    kind: sqlite.text('kind').notNull(),
    /** `pending`, `healthy`, `unhealthy`, `offline` or `draining`. */
    status: sqlite.text('status').notNull(),
    /** 0 or 1. */
    isApproved: sqlite.integer('is_approved').notNull(),
    /** `host:port` of its first backend. */
    address: sqlite.text('address').notNull(),
    /** `host:port` of its file server. */
    httpAddress: sqlite.text('http_address').notNull(),
    /** A JSON object, see `NodeResources`. */
    resources: sqlite.text('resources').notNull(),
    /** Bytes that running loads will take. */
    reservedVram: sqlite.integer('reserved_vram').notNull(),
    /** Labels that the worker and the server gave, a JSON object. */
    labels: sqlite.text('labels').notNull(),
    /** Labels that an administrator gave, a JSON object. */
    ownLabels: sqlite.text('own_labels').notNull(),
    /** Replicas of one model. */
    maxReplicas: sqlite.integer('max_replicas').notNull(),
    isMaxReplicasManual: sqlite.integer('is_max_replicas_manual').notNull(),
    /** Bytes, or a share such as `80%`; empty: all. */
    vramBudget: sqlite.text('vram_budget').notNull(),
    isVramBudgetManual: sqlite.integer('is_vram_budget_manual').notNull(),
    apiKeyId: sqlite.text('api_key_id'),
    userId: sqlite.text('user_id'),
    /** Milliseconds since the epoch, by the clock of the database. */
    heartbeatAt: sqlite.integer('heartbeat_at').notNull(),
    createdAt: sqlite.integer('created_at').notNull(),
  },
  (table) => [sqlite.uniqueIndex('nodes_by_name').on(table.name)],
)

export const nodesOnPostgres = pg.pgTable(
  'nodes',
  {
    id: pg.text('id').primaryKey(),
    name: pg.text('name').notNull(),
    kind: pg.text('kind').notNull(),
    status: pg.text('status').notNull(),
    isApproved: pg.bigint('is_approved', { mode: 'number' }).notNull(),
    address: pg.text('address').notNull(),
    httpAddress: pg.text('http_address').notNull(),
    resources: pg.text('resources').notNull(),
    reservedVram: pg.bigint('reserved_vram', { mode: 'number' }).notNull(),
    labels: pg.text('labels').notNull(),
    ownLabels: pg.text('own_labels').notNull(),
    maxReplicas: pg.bigint('max_replicas', { mode: 'number' }).notNull(),
    isMaxReplicasManual: pg.bigint('is_max_replicas_manual', { mode: 'number' }).notNull(),
    vramBudget: pg.text('vram_budget').notNull(),
    isVramBudgetManual: pg.bigint('is_vram_budget_manual', { mode: 'number' }).notNull(),
    apiKeyId: pg.text('api_key_id'),
    userId: pg.text('user_id'),
    heartbeatAt: pg.bigint('heartbeat_at', { mode: 'number' }).notNull(),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.uniqueIndex('nodes_by_name').on(table.name)],
)

/** Models on workers. */
export const nodeReplicasOnSqlite = sqlite.sqliteTable(
  'node_replicas',
  {
    id: sqlite.text('id').primaryKey(),
    nodeId: sqlite.text('node_id').notNull(),
    model: sqlite.text('model').notNull(),
    replicaIndex: sqlite.integer('replica_index').notNull(),
    /** `<model>#<index>` at the worker. */
    processKey: sqlite.text('process_key').notNull(),
    /** `host:port` of its process; empty while it is not known. */
    address: sqlite.text('address').notNull(),
    /** `staging`, `loading`, `loaded`, `unloading` or `idle`. */
    state: sqlite.text('state').notNull(),
    backend: sqlite.text('backend').notNull(),
    configRevision: sqlite.text('config_revision').notNull(),
    /** The request of the load, base64 of `ModelOptions`. */
    loadRequest: sqlite.text('load_request').notNull(),
    /** Identity of the weights, JSON. */
    weights: sqlite.text('weights'),
    /** Bytes. */
    sizeVram: sqlite.integer('size_vram'),
    /** Milliseconds since the epoch, by the clock of the database. */
    createdAt: sqlite.integer('created_at').notNull(),
    usedAt: sqlite.integer('used_at').notNull(),
    cleanupError: sqlite.text('cleanup_error'),
    cleanupAttempts: sqlite.integer('cleanup_attempts').notNull(),
    cleanupNextAt: sqlite.integer('cleanup_next_at'),
  },
  (table) => [
    sqlite.uniqueIndex('node_replicas_by_place').on(table.nodeId, table.model, table.replicaIndex),
    sqlite.index('node_replicas_by_model').on(table.model, table.state),
  ],
)

export const nodeReplicasOnPostgres = pg.pgTable(
  'node_replicas',
  {
    id: pg.text('id').primaryKey(),
    nodeId: pg.text('node_id').notNull(),
    model: pg.text('model').notNull(),
    replicaIndex: pg.bigint('replica_index', { mode: 'number' }).notNull(),
    processKey: pg.text('process_key').notNull(),
    address: pg.text('address').notNull(),
    state: pg.text('state').notNull(),
    backend: pg.text('backend').notNull(),
    configRevision: pg.text('config_revision').notNull(),
    loadRequest: pg.text('load_request').notNull(),
    weights: pg.text('weights'),
    sizeVram: pg.bigint('size_vram', { mode: 'number' }),
    createdAt: pg.bigint('created_at', { mode: 'number' }).notNull(),
    usedAt: pg.bigint('used_at', { mode: 'number' }).notNull(),
    cleanupError: pg.text('cleanup_error'),
    cleanupAttempts: pg.bigint('cleanup_attempts', { mode: 'number' }).notNull(),
    cleanupNextAt: pg.bigint('cleanup_next_at', { mode: 'number' }),
  },
  (table) => [
    pg.uniqueIndex('node_replicas_by_place').on(table.nodeId, table.model, table.replicaIndex),
    pg.index('node_replicas_by_model').on(table.model, table.state),
  ],
)

/** Running requests of each front end at each replica: leases that end by themselves. */
export const replicaUsesOnSqlite = sqlite.sqliteTable(
  'replica_uses',
  {
    replicaId: sqlite.text('replica_id').notNull(),
    /** Id of the server. */
    frontend: sqlite.text('frontend').notNull(),
    inFlight: sqlite.integer('in_flight').notNull(),
    /** Milliseconds since the epoch, by the clock of the database. */
    expiresAt: sqlite.integer('expires_at').notNull(),
  },
  (table) => [
    sqlite.primaryKey({ columns: [table.replicaId, table.frontend] }),
    sqlite.index('replica_uses_by_end').on(table.expiresAt),
  ],
)

export const replicaUsesOnPostgres = pg.pgTable(
  'replica_uses',
  {
    replicaId: pg.text('replica_id').notNull(),
    frontend: pg.text('frontend').notNull(),
    inFlight: pg.bigint('in_flight', { mode: 'number' }).notNull(),
    expiresAt: pg.bigint('expires_at', { mode: 'number' }).notNull(),
  },
  (table) => [
    pg.primaryKey({ columns: [table.replicaId, table.frontend] }),
    pg.index('replica_uses_by_end').on(table.expiresAt),
  ],
)

/** Loads of models on workers. A load outlives the server that began it. */
export const modelLoadJobsOnSqlite = sqlite.sqliteTable(
  'model_load_jobs',
  {
    /** Model and replica: `<model>#<index>`. */
    key: sqlite.text('key').primaryKey(),
    model: sqlite.text('model').notNull(),
    configRevision: sqlite.text('config_revision').notNull(),
    /** `pending`, `installing`, `staging`, `loading` or `failed`. */
    state: sqlite.text('state').notNull(),
    /** Id of the server that runs it. */
    owner: sqlite.text('owner'),
    /** Grows with every claim. */
    fence: sqlite.integer('fence').notNull(),
    /** Milliseconds since the epoch, by the clock of the database. */
    leaseUntil: sqlite.integer('lease_until').notNull(),
    nodeId: sqlite.text('node_id'),
    nodeName: sqlite.text('node_name'),
    replicaIndex: sqlite.integer('replica_index').notNull(),
    bytesSent: sqlite.integer('bytes_sent').notNull(),
    totalBytes: sqlite.integer('total_bytes').notNull(),
    fileIndex: sqlite.integer('file_index').notNull(),
    totalFiles: sqlite.integer('total_files').notNull(),
    error: sqlite.text('error'),
    startedAt: sqlite.integer('started_at').notNull(),
    progressAt: sqlite.integer('progress_at').notNull(),
    /** Until when a failure is told. */
    endsAt: sqlite.integer('ends_at'),
  },
  (table) => [sqlite.index('model_load_jobs_by_model').on(table.model)],
)

export const modelLoadJobsOnPostgres = pg.pgTable(
  'model_load_jobs',
  {
    key: pg.text('key').primaryKey(),
    model: pg.text('model').notNull(),
    configRevision: pg.text('config_revision').notNull(),
    state: pg.text('state').notNull(),
    owner: pg.text('owner'),
    fence: pg.bigint('fence', { mode: 'number' }).notNull(),
    leaseUntil: pg.bigint('lease_until', { mode: 'number' }).notNull(),
    nodeId: pg.text('node_id'),
    nodeName: pg.text('node_name'),
    replicaIndex: pg.bigint('replica_index', { mode: 'number' }).notNull(),
    bytesSent: pg.bigint('bytes_sent', { mode: 'number' }).notNull(),
    totalBytes: pg.bigint('total_bytes', { mode: 'number' }).notNull(),
    fileIndex: pg.bigint('file_index', { mode: 'number' }).notNull(),
    totalFiles: pg.bigint('total_files', { mode: 'number' }).notNull(),
    error: pg.text('error'),
    startedAt: pg.bigint('started_at', { mode: 'number' }).notNull(),
    progressAt: pg.bigint('progress_at', { mode: 'number' }).notNull(),
    endsAt: pg.bigint('ends_at', { mode: 'number' }),
  },
  (table) => [pg.index('model_load_jobs_by_model').on(table.model)],
)

/** Where models run. */
export const modelSchedulingOnSqlite = sqlite.sqliteTable('model_scheduling', {
  model: sqlite.text('model').primaryKey(),
  /** A JSON object of labels. */
  nodeSelector: sqlite.text('node_selector').notNull(),
  minReplicas: sqlite.integer('min_replicas').notNull(),
  /** 0: no limit. */
  maxReplicas: sqlite.integer('max_replicas').notNull(),
  spreadAll: sqlite.integer('spread_all').notNull(),
  /** `` (default), `least_loaded`, `round_robin` or `prefix_cache`. */
  routePolicy: sqlite.text('route_policy').notNull(),
  balanceAbsThreshold: sqlite.integer('balance_abs_threshold').notNull(),
  balanceRelThreshold: sqlite.real('balance_rel_threshold').notNull(),
  minPrefixMatch: sqlite.real('min_prefix_match').notNull(),
  unsatisfiableUntil: sqlite.integer('unsatisfiable_until'),
  unsatisfiableTicks: sqlite.integer('unsatisfiable_ticks').notNull(),
})

export const modelSchedulingOnPostgres = pg.pgTable('model_scheduling', {
  model: pg.text('model').primaryKey(),
  nodeSelector: pg.text('node_selector').notNull(),
  minReplicas: pg.bigint('min_replicas', { mode: 'number' }).notNull(),
  maxReplicas: pg.bigint('max_replicas', { mode: 'number' }).notNull(),
  spreadAll: pg.bigint('spread_all', { mode: 'number' }).notNull(),
  routePolicy: pg.text('route_policy').notNull(),
  balanceAbsThreshold: pg.bigint('balance_abs_threshold', { mode: 'number' }).notNull(),
  balanceRelThreshold: pg.doublePrecision('balance_rel_threshold').notNull(),
  minPrefixMatch: pg.doublePrecision('min_prefix_match').notNull(),
  unsatisfiableUntil: pg.bigint('unsatisfiable_until', { mode: 'number' }),
  unsatisfiableTicks: pg.bigint('unsatisfiable_ticks', { mode: 'number' }).notNull(),
})

/** Changes of backends that wait for their worker. */
export const pendingBackendOpsOnSqlite = sqlite.sqliteTable(
  'pending_backend_ops',
  {
    id: sqlite.text('id').primaryKey(),
    nodeId: sqlite.text('node_id').notNull(),
    backend: sqlite.text('backend').notNull(),
    /** `install`, `upgrade` or `delete`. */
    op: sqlite.text('op').notNull(),
    /** JSON. */
    details: sqlite.text('details').notNull(),
    attempts: sqlite.integer('attempts').notNull(),
    error: sqlite.text('error'),
    nextAt: sqlite.integer('next_at').notNull(),
  },
  (table) => [sqlite.uniqueIndex('pending_backend_ops_by_op').on(table.nodeId, table.backend, table.op)],
)

export const pendingBackendOpsOnPostgres = pg.pgTable(
  'pending_backend_ops',
  {
    id: pg.text('id').primaryKey(),
    nodeId: pg.text('node_id').notNull(),
    backend: pg.text('backend').notNull(),
    op: pg.text('op').notNull(),
    details: pg.text('details').notNull(),
    attempts: pg.bigint('attempts', { mode: 'number' }).notNull(),
    error: pg.text('error'),
    nextAt: pg.bigint('next_at', { mode: 'number' }).notNull(),
  },
  (table) => [pg.uniqueIndex('pending_backend_ops_by_op').on(table.nodeId, table.backend, table.op)],
)
