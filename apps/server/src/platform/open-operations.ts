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
  readonly clock: Clock
  readonly log: Logger
}

/** Reads the operations of the last run. Their queue starts with the server. */
export async function openOperations(parts: OperationParts, closers: Closers): Promise<Operations> {
  const { config, database, series, bus, clock, log } = parts
  const owner = await readServerId(config.dataPath)
  const operations = await openQueue({
    store: createOperationStore({ database, owner }),
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
  closers.push(() => operations.close())
  return operations
}
