import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Clock } from '../ports.ts'
import { createModelLoader, type ModelLoaderOptions } from './load-model.ts'
import type { Resident } from './resident.ts'
import { abortLoad, createPendingLoad, type LoadContext, type PendingLoad, runLoad } from './run-load.ts'

/** Running loads, at most one current load a model. */
export interface LoadTable {
  /**
   * Finds the resident that serves a model as its file is now, or its running load. Starts the load where there is
   * neither.
   *
   * @throws {SvcError} `shutting_down` after `close`
   */
  find(model: ModelConfig): Resident | PendingLoad
  get(name: string): PendingLoad | undefined
  list(): readonly PendingLoad[]
  /** Aborts all loads and starts no further ones. Resolves when they have ended. */
  close(): Promise<void>
}

/** Parts of {@link createLoadTable}. */
export interface LoadTableOptions extends ModelLoaderOptions, Omit<LoadContext, 'loader' | 'leave' | 'takesMemory'> {
  readonly clock: Clock
}

/** Creates a table without loads. */
export function createLoadTable(options: LoadTableOptions): LoadTable {
  const loads = new Map<string, PendingLoad>()
  const loader = createModelLoader(options)
  const context: LoadContext = {
    ...options,
    loader,
    leave(load) {
      if (loads.get(load.model.name) === load) loads.delete(load.model.name)
    },
    takesMemory: ({ backend }) => options.catalog.resolve(backend)?.kind !== 'in-process',
  }
  let isClosed = false

  function start(model: ModelConfig, revision: string): PendingLoad {
    const load = createPendingLoad(model, { revision, previous: loads.get(model.name), clock: options.clock })
    loads.set(model.name, load)
    load.done = runLoad(load, context)
    return load
  }

  return {
    find(model) {
      if (isClosed) throw shuttingDown()
      const revision = loader.toRevision(model)
      const resident = options.table.get(model.name)
      if (resident?.revision === revision && resident.isTrusted()) return resident
      const pending = loads.get(model.name)
      return pending?.revision === revision ? pending : start(model, revision)
    },
    get: (name) => loads.get(name),
    list: () => [...loads.values()],
    async close() {
      isClosed = true
      const pending = [...loads.values()]
      for (const load of pending) abortLoad(load, shuttingDown())
      await Promise.all(pending.map((load) => load.done))
    },
  }
}

function shuttingDown(): SvcError {
  return new SvcError('unavailable', 'the server is shutting down', { code: 'shutting_down' })
}
