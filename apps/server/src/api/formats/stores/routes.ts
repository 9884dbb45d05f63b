import type { Route } from '../../../http/route.ts'
import { defineInferenceRoute, type InferenceRouteParts } from '../define-inference-route.ts'
import type { StoreDirectory } from './find-store.ts'

const wire = () => import('@svc/wire/native')

/** Routes of vector stores. */
export function storeRoutes(parts: InferenceRouteParts & { readonly models: StoreDirectory }): Route[] {
  const shared = {
    method: 'POST',
    access: 'any',
    feature: 'stores',
    family: 'compatible',
    usecase: 'stores',
    scanned: false,
    tag: 'inference',
  } as const
  const full = { 507: { description: 'The stores have no room for these entries.' } }
  const formats = async () => (await import('./formats.ts')).createStoreFormats(parts.models)
  return [
    defineInferenceRoute(
      {
        ...shared,
        path: '/stores/set',
        summary: 'Keep values under vectors',
        body: async () => (await wire()).storesSetRequest,
        responses: { 200: { description: 'The entries are kept. The body is empty.' }, ...full },
      },
      async () => (await formats()).set,
      parts,
    ),
    defineInferenceRoute(
      {
        ...shared,
        path: '/stores/get',
        summary: 'The values of vectors',
        body: async () => (await wire()).storesKeysRequest,
        responses: {
          200: { description: 'The entries that are there.', schema: async () => (await wire()).storesGetReply },
        },
      },
      async () => (await formats()).get,
      parts,
    ),
    defineInferenceRoute(
      {
        ...shared,
        path: '/stores/delete',
        summary: 'Remove vectors with their values',
        body: async () => (await wire()).storesKeysRequest,
        responses: { 200: { description: 'The store has no such entries. The body is empty.' } },
      },
      async () => (await formats()).delete,
      parts,
    ),
    defineInferenceRoute(
      {
        ...shared,
        path: '/stores/find',
        summary: 'The entries nearest to a vector',
        body: async () => (await wire()).storesFindRequest,
        responses: {
          200: { description: 'The nearest entry first.', schema: async () => (await wire()).storesFindReply },
        },
      },
      async () => (await formats()).find,
      parts,
    ),
  ]
}
