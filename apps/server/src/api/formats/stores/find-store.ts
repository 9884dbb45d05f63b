import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import { toCanonicalBackend } from '../../../backends/backend-names.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { ModelDirectory } from '../../../catalog/resolve.ts'
import { createBlankModel } from '../../../catalog/to-model-config.ts'
import { hasUsecase } from '../../../catalog/usecases.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'

/** Finds the models that are stores, and the stores that routers use. */
export type StoreDirectory = Pick<ModelDirectory, 'find' | 'list'>

/** Name of the backend of the server's own stores. */
const LOCAL_STORE = 'local-store'
/** Name of the store of requests that name none. */
const DEFAULT_STORE = 'default'
const MAX_NAME_BYTES = 256
/** Stores of routers, as they are named where a model file does not say. */
const RESERVED = /^\s*router-(?:cache|corpus)-/iu

const OWN_STORE = createBlankModel({
  name: LOCAL_STORE,
  source: 'demo',
  place: { file: '', folder: '', modifiedAt: 0 },
})

/**
 * Finds the store of a request: the model of that name, if it is a store, else one of the server's own. The field
 * `backend` starts nothing: it only refuses a store of another backend.
 *
 * @throws {SvcError} `invalid_request` naming the field
 */
export function findStore(
  document: JsonDocument,
  directory: StoreDirectory,
): { readonly name: string; readonly model: ModelConfig } {
  const name = readName(document, 'store') || DEFAULT_STORE
  const backend = toCanonicalBackend(readName(document, 'backend')).name
  refuseReserved(name, directory)
  const model = directory.find(name)
  if (model !== undefined && hasUsecase(model, 'stores')) {
    if (backend !== '' && backend !== toCanonicalBackend(model.backend).name) {
      throw refuse('backend', `the store "${name}" has another backend`)
    }
    return { name, model }
  }
  if (backend !== '' && backend !== LOCAL_STORE) {
    throw refuse('backend', 'no model with this backend is a store of this name: a model file makes one')
  }
  const own: ModelConfig = { ...OWN_STORE, backend: LOCAL_STORE, serving: { kind: 'store', store: name } }
  return { name: LOCAL_STORE, model: own }
}

function readName({ root }: JsonDocument, field: 'store' | 'backend'): string {
  const node = root.get(field)
  if (node === undefined || node.kind === 'null') return ''
  if (node.kind !== 'string') throw unparsable(`${field}: must be a string`, field)
  // Escapes make a name longer, so a text of that size is too long in any case.
  if (node.end - node.start > 6 * MAX_NAME_BYTES + 2) throw tooLong(field)
  const name = node.text()
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw tooLong(field)
  // Two names with different halves of characters would have one name as bytes.
  if (/\p{Cs}/u.test(name)) throw unparsable(`${field}: must not hold half of a surrogate pair`, field)
  if (/\p{Cc}/u.test(name)) throw unparsable(`${field}: must not hold control characters`, field)
  return name
}

function tooLong(field: string): SvcError {
  return unparsable(`${field}: must have at most ${MAX_NAME_BYTES} bytes`, field)
}

/** Keeps callers away from names under which routers keep decisions and labelled texts. */
function refuseReserved(name: string, directory: StoreDirectory): void {
  const isReserved = RESERVED.test(name) || directory.list().some((model) => listRouterStores(model).includes(name))
  if (isReserved) throw refuse('store', 'names of stores of routers are reserved')
}

function listRouterStores({ router }: ModelConfig): readonly (string | undefined)[] {
  return router === undefined ? [] : [router.embeddingCache?.storeName, router.knn?.storeName]
}

function refuse(param: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${reason}`, { code: `invalid_${param}`, details: { param } })
}
