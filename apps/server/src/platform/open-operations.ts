import type { Bus } from '../bus/bus.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Database } from '../db/database.ts'
import { wasInstalled } from '../galleries/was-installed.ts'
import type { ServerSeries } from '../monitoring/server-series.ts'
import { isPending } from '../operations/operation.ts'
import { openOperations as openQueue } from '../operations/operation-queue.ts'
import { createOperationStore } from '../operations/operation-store.ts'
import type { Operations } from '../operations/operations.ts'
import { readServerId } from '../operations/server-id.ts'
import type { Clock, Logger } from '../ports.ts'
import type { Closers } from './closers.ts'

/** Parts of {@link openOperations}. */
export interface OperationParts {
  readonly config: ServerConfig
  readonly database: Database
  readonly series: Pick<ServerSeries, 'countOperation' | 'show'>
  readonly bus: Bus
  /** Whether other front ends share the database. */
  readonly isShared: boolean
  readonly clock: Clock
  readonly log: Logger
}

/** Reads the operations of the last run. Their queue starts with the server. */
export async function openOperations(parts: OperationParts, closers: Closers): Promise<Operations> {
  const { config, database, series, bus, clock, log } = parts
  const owner = await readServerId(config.dataPath)
  const store = createOperationStore({ database, owner })
  const claims = parts.isShared ? await import('../operations/claimed-operations.ts') : undefined
  const operations = await openQueue({
    store: claims?.claimOperations(store, { database, owner, sharesModels: config.distributedSharedModels }) ?? store,
    // Nobody here knows what a worker had done by then; it is asked again, which changes nothing that is done.
    wasCommitted: async (operation) => operation.nodeId === undefined && (await wasInstalled(operation, config)),
    onEnd: (operation) => series.countOperation(operation),
    bus,
    clock,
    logger: log,
  })
  series.show({
    name: 'svc_operations_open',
    help: 'Changes of models and backends that wait or run.',
    read: () => operations.list().filter(isPending).length,
  })
  if (!parts.isShared) {
    closers.push(() => operations.close())
    return operations
  }
  return openSharedOperations(operations, { ...parts, owner }, closers)
}

/** Joins the operations with those of the other front ends. */
async function openSharedOperations(
  own: Operations,
  { database, bus, clock, log: logger, owner }: OperationParts & { readonly owner: string },
  closers: Closers,
): Promise<Operations> {
  const { createFrontEndLease } = await import('../cluster/front-ends/front-end-lease.ts')
  const { createForeignOperations, describeProgress } = await import('../operations/foreign-operations.ts')
  const { createSharedOperations } = await import('../operations/shared-operations.ts')
  const lease = createFrontEndLease({
    database,
    id: owner,
    readProgress: () => describeProgress(own.list()),
    clock,
    logger,
  })
  const closing = new AbortController()
  // Before the others see its operations.
  await lease.renew()
  const renewing = lease.run(closing.signal)
  closers.push(() => {
    closing.abort()
    return renewing
  })
  const shared = createSharedOperations({ own, foreign: createForeignOperations(database, owner), bus, clock, logger })
  closers.push(() => shared.close())
  return shared
}
