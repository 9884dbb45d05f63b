import type { StoresKey, StoresValue } from '@svc/backend-client/proto'
import type { BackendHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import type { ServiceHost } from '../host.ts'

type StoreHandlers = Pick<BackendHandlers, 'storesSet' | 'storesDelete' | 'storesGet' | 'storesFind'>

/** Serves the vector store of the instance that has the model's name there. */
export function createStoreHandlers(host: ServiceHost): StoreHandlers {
  return {
    storesSet: async ({ Keys, Values }, context) => {
      await host.use('').storesSet({ keys: toVectors(Keys), values: Values.map(({ Bytes }) => Bytes) }, toCall(context))
      return { success: true, message: 'set' }
    },
    storesDelete: async ({ Keys }, context) => {
      await host.use('').storesDelete(toVectors(Keys), toCall(context))
      return { success: true, message: 'deleted' }
    },
    storesGet: async ({ Keys }, context) => toColumns(await host.use('').storesGet(toVectors(Keys), toCall(context))),
    storesFind: async ({ Key, TopK }, context) => {
      const found = await host.use('').storesFind({ key: Key?.Floats ?? [], topK: TopK }, toCall(context))
      return { ...toColumns(found), Similarities: [...found.similarities] }
    },
  }
}

function toVectors(keys: readonly StoresKey[]): readonly (readonly number[])[] {
  return keys.map(({ Floats }) => Floats)
}

interface Entries {
  readonly keys: readonly (readonly number[])[]
  readonly values: readonly Uint8Array[]
}

function toColumns({ keys, values }: Entries): { Keys: StoresKey[]; Values: StoresValue[] } {
  return {
    Keys: keys.map((Floats) => ({ Floats: [...Floats] })),
    Values: values.map((bytes) => ({ Bytes: Buffer.from(bytes) })),
  }
}
