import type { ResponseStore, ResponseStoreOptions } from './response-store.ts'

/**
 * The store of responses over the server's database. What uses it first opens it: its modules are loaded, and what ran on
 * a server that is gone is failed. While the database holds no responses there is nothing to trim, and nothing is opened.
 */
export function createLateResponseStore(options: ResponseStoreOptions): ResponseStore {
  let opening: Promise<ResponseStore> | undefined

  async function load(): Promise<ResponseStore> {
    const { createResponseStore } = await import('./response-store.ts')
    const store = createResponseStore(options)
    await store.failInterrupted()
    return store
  }
  async function open(): Promise<ResponseStore> {
    opening ??= load()
    try {
      return await opening
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  const isNeeded = async (): Promise<boolean> =>
    opening !== undefined || (await options.database.queries.holdsRows('responses'))

  return {
    insert: async (record, events) => (await open()).insert(record, events),
    appendEvents: async (id, events) => (await open()).appendEvents(id, events),
    finish: async (resource, events) => (await open()).finish(resource, events),
    read: async (id, reader) => (await open()).read(id, reader),
    readEvents: async (id, after) => (await open()).readEvents(id, after),
    findItem: async (id, reader) => (await open()).findItem(id, reader),
    cancel: async (resource) => (await open()).cancel(resource),
    delete: async (id, reader) => (await open()).delete(id, reader),
    renew: async (ids) => (await open()).renew(ids),
    async failInterrupted() {
      if (await isNeeded()) await (await open()).failInterrupted()
    },
    async trim() {
      if (await isNeeded()) await (await open()).trim()
    },
  }
}
