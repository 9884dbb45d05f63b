import type { Bus } from '../bus/bus.ts'
import { createLazy } from '../concurrency/lazy.ts'
import type { ResponseStoreOptions } from './response-store.ts'
import type { ResponseStore } from './stored-response.ts'

/**
 * The store of responses over the server's database. The first use opens it: its modules are loaded, and responses that
 * ran on a server that is gone are failed. While the database holds no responses there is nothing to trim, and nothing
 * is opened.
 *
 * Publishes `responses.changed` and `responses.stopped` once a change is stored.
 */
export function createLazyResponseStore(
  options: ResponseStoreOptions & { readonly bus: Pick<Bus, 'publish'> },
): ResponseStore {
  const { bus } = options
  const { open, settled } = createLazy(async () => {
    const { createResponseStore } = await import('./response-store.ts')
    const store = createResponseStore(options)
    await store.failInterrupted()
    return store
  })
  const isNeeded = async (): Promise<boolean> =>
    (await settled()) !== undefined || (await options.database.queries.holdsRows('responses'))

  return {
    insert: async (record, events) => (await open()).insert(record, events),
    async appendEvents(id, events) {
      await (await open()).appendEvents(id, events)
      bus.publish('responses.changed', { id })
    },
    async finish(resource, events) {
      await (await open()).finish(resource, events)
      bus.publish('responses.changed', { id: resource.id })
    },
    read: async (id, reader) => (await open()).read(id, reader),
    readEvents: async (id, after) => (await open()).readEvents(id, after),
    findItem: async (id, reader) => (await open()).findItem(id, reader),
    async cancel(resource) {
      await (await open()).cancel(resource)
      bus.publish('responses.stopped', { id: resource.id })
      bus.publish('responses.changed', { id: resource.id })
    },
    async delete(id, reader) {
      const existed = await (await open()).delete(id, reader)
      if (existed) bus.publish('responses.stopped', { id })
      return existed
    },
    renew: async (ids) => (await open()).renew(ids),
    async failInterrupted() {
      if (await isNeeded()) await (await open()).failInterrupted()
    },
    async trim() {
      if (await isNeeded()) await (await open()).trim()
    },
  }
}
