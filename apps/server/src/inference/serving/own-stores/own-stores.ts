import { SvcError } from '@svc/errors'
import type { VectorStores } from '../../../vector-stores/vector-stores.ts'
import type { OperationKind, OperationRequest, OperationResult } from '../../operations/operation.ts'
import type { StoreOperationKind, StoreOperations } from '../../operations/store-operations.ts'
import { toFieldError } from '../../operations/stores.ts'

/** Runs operations on the stores of this process that all callers share. */
export interface OwnStores {
  /**
   * @param options.store name of the store
   * @throws {SvcError} `not_implemented` (`no_store`) for other operations, `invalid_request` naming the field, and the
   *   failures of {@link VectorStores}
   */
  perform<K extends OperationKind>(
    request: OperationRequest<K>,
    options: { readonly store: string; readonly signal: AbortSignal },
  ): Promise<OperationResult<K>>
}

interface StoreCall {
  readonly stores: VectorStores
  readonly store: { readonly owner: 'callers'; readonly name: string }
  readonly signal: AbortSignal
}

type StoreRunners = {
  readonly [K in StoreOperationKind]: (
    request: StoreOperations[K]['request'],
    call: StoreCall,
  ) => Promise<StoreOperations[K]['result']>
}

const NO_FIGURES = { promptTokens: 0 }

const RUNNERS: StoreRunners = {
  async 'store-set'({ entries }, { stores, store, signal }) {
    await stores.set(store, entries, { signal })
    return NO_FIGURES
  },
  async 'store-delete'({ keys }, { stores, store, signal }) {
    await stores.delete(store, keys, { signal })
    return NO_FIGURES
  },
  async 'store-get'({ keys }, { stores, store, signal }) {
    return { ...NO_FIGURES, entries: (await stores.get(store, keys, { signal })).map(toEntry) }
  },
  async 'store-find'({ key, count }, { stores, store, signal }) {
    const found = await stores.find(store, key, { count, signal })
    return { ...NO_FIGURES, found: found.map((each) => ({ ...toEntry(each), similarity: each.similarity })) }
  },
}

/** @param open opens the stores with the first call */
export function createOwnStores(open: () => Promise<VectorStores>): OwnStores {
  return {
    async perform<K extends OperationKind>(
      request: OperationRequest<K>,
      { store, signal }: { readonly store: string; readonly signal: AbortSignal },
    ): Promise<OperationResult<K>> {
      const runners: Readonly<Partial<Record<string, unknown>>> = RUNNERS
      // The table maps each kind to its runner; the compiler cannot follow that through a union.
      const run = runners[request.kind] as
        | ((request: OperationRequest<K>, call: StoreCall) => Promise<OperationResult<K>>)
        | undefined
      if (run === undefined)
        throw new SvcError('not_implemented', 'a vector store cannot do this', { code: 'no_store' })
      try {
        return await run(request, { stores: await open(), store: { owner: 'callers', name: store }, signal })
      } catch (error) {
        throw toFieldError(error, request.kind === 'store-find' ? 'key' : 'keys')
      }
    },
  }
}

function toEntry({ key, value }: { readonly key: ArrayLike<number>; readonly value: Uint8Array }) {
  return { key: key instanceof Float32Array ? key : Float32Array.from(key), value }
}
