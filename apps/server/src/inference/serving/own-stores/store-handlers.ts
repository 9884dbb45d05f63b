import type { StoresKey } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { Vector, VectorEntry } from '@svc/router/vector'
import type { InProcessHandlers } from '../../../backends/in-process/client.ts'
import type { StoreName } from '../../../vector-stores/store-name.ts'
import type { VectorStores } from '../../../vector-stores/vector-stores.ts'

/** Prefix of the names of stores in the contract. */
const STORE_PREFIX = 'store://'

/** Serves the store of one model (`backend: local-store`) behind the contract of backends. */
export function createStoreHandlers(open: () => Promise<VectorStores>): InProcessHandlers {
  let loaded: StoreName | undefined

  function readStore(): StoreName {
    if (loaded !== undefined) return loaded
    throw new SvcError('unavailable', 'no store is loaded', { code: 'model_not_loaded' })
  }

  return {
    loadModel({ Model }) {
      const name = Model.startsWith(STORE_PREFIX) ? Model.slice(STORE_PREFIX.length) : Model
      if (/\p{Cs}/u.test(name)) {
        throw new SvcError('invalid_request', 'the name of a store holds half of a surrogate pair', {
          code: 'store_invalid',
        })
      }
      loaded = { owner: 'model', name }
      return { success: true, message: 'loaded' }
    },
    async storesSet({ Keys, Values }, { signal }) {
      if (Keys.length !== Values.length) {
        throw new SvcError('invalid_request', 'keys and values differ in number', { code: 'store_invalid' })
      }
      const entries = Keys.map(({ Floats }, index) => ({
        key: Floats,
        value: Values[index]?.Bytes ?? new Uint8Array(),
      }))
      await (await open()).set(readStore(), entries, { signal })
      return { success: true, message: 'set' }
    },
    async storesDelete({ Keys }, { signal }) {
      await (await open()).delete(readStore(), toKeys(Keys), { signal })
      return { success: true, message: 'deleted' }
    },
    async storesGet({ Keys }, { signal }) {
      return toColumns(await (await open()).get(readStore(), toKeys(Keys), { signal }))
    },
    async storesFind({ Key, TopK }, { signal }) {
      const found = await (await open()).find(readStore(), Key?.Floats ?? [], { count: TopK, signal })
      return { ...toColumns(found), Similarities: found.map(({ similarity }) => similarity) }
    },
  }
}

function toKeys(keys: readonly StoresKey[]): Vector[] {
  return keys.map(({ Floats }) => Floats)
}

function toColumns(entries: readonly VectorEntry[]) {
  return {
    Keys: entries.map(({ key }) => ({ Floats: Array.from(key) })),
    Values: entries.map(({ value }) => ({ Bytes: Buffer.from(value) })),
  }
}
