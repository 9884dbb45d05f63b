import { createBackendClient } from '@svc/backend-client'
import { createWorkerClients, type WorkerClients } from '../../cluster/routing/worker-clients.ts'
import { withRemoteFiles } from '../../cluster/staging/with-remote-files.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { Closers } from '../closers.ts'
import type { WorkerPlacementParts } from './worker-parts.ts'

/** Parts of {@link openClients}. */
export interface ClientParts extends Pick<WorkerPlacementParts, 'upstream' | 'clock'> {
  readonly config: Pick<ServerConfig, 'registrationToken' | 'distributedSharedModels' | 'modelsPath' | 'dataPath'>
}

/**
 * Opens the connections to processes at workers. The files of a request go to the worker also where the models folder is
 * shared: they are in no folder that both have.
 */
export function openClients({ config, upstream: client, clock }: ClientParts, closers: Closers): WorkerClients {
  const { registrationToken: token = '', distributedSharedModels: isShared, modelsPath: folder } = config
  const folders = { models: folder, data: config.dataPath }
  const clients = createWorkerClients(({ address, processKey }, node) => {
    const models = { folder, processKey }
    const options = { node, token, client, models, folders, isShared, clock }
    return withRemoteFiles(createBackendClient({ address, token }), options)
  })
  closers.push(() => clients.close())
  return clients
}
