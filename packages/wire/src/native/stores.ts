import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { findNoFloat32 } from '../scalars.ts'

/** Longest vector of a store. */
const MAX_VECTOR_LENGTH = 16_384
/** Most entries that a search gives. */
const MAX_FOUND = 1000
/** The largest 32-bit float. */
const MAX_FLOAT = 3.4028234663852886e38

const FLOAT = { type: 'number', minimum: -MAX_FLOAT, maximum: MAX_FLOAT } as const
const NUMBERS = { type: 'array', items: FLOAT, minItems: 1, maxItems: MAX_VECTOR_LENGTH } as const
const REQUIRED = 'is required'

/*
 * Checked by hand up to the first fault: a schema with an issue for each of a few hundred thousand numbers would block
 * the event loop for seconds.
 */

/** A vector of 32-bit floats. */
const storeVector = z
  .custom<number[]>()
  .superRefine((value: unknown, context) => {
    const fault = findFault(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', ...fault })
  })
  .meta(NUMBERS)

/** Vectors of one length. */
const storeVectors = z
  .custom<number[][]>()
  .superRefine((value: unknown, context) => {
    const fault = findFaultOfList(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', ...fault })
  })
  .meta({ type: 'array', items: NUMBERS, minItems: 1 })

const place = {
  /** Name of the store, or of a model that is one. @default the store named `default` */
  store: z.string().nullish(),
  /** The backend that the store must have. @default the server's own stores, or the one of the model */
  backend: z.string().nullish(),
}

/** Body of `POST /stores/set`: `values[i]` is kept under `keys[i]`. */
export const storesSetRequest = z
  .looseObject({ ...place, keys: storeVectors, values: endAtFirstFault(z.array(z.string())) })
  .superRefine(({ keys, values }, context) => {
    if (!Array.isArray(keys) || keys.length === values.length) return
    const message = `must have as many items as keys (${keys.length}), not ${values.length}`
    context.addIssue({ code: 'custom', path: ['values'], message })
  })

/** Body of `POST /stores/get` and `POST /stores/delete`. */
export const storesKeysRequest = z.looseObject({ ...place, keys: storeVectors })

/** Body of `POST /stores/find`. */
export const storesFindRequest = z.looseObject({
  ...place,
  key: storeVector,
  topk: z.number().int().min(1).max(MAX_FOUND),
})

/** Reply of `POST /stores/get`: the entries that are there. */
export const storesGetReply = z.looseObject({ keys: z.array(z.array(z.number())), values: z.array(z.string()) })

/** Reply of `POST /stores/find`: the nearest entry first. */
export const storesFindReply = z.looseObject({ ...storesGetReply.shape, similarities: z.array(z.number()) })

/** Body of `POST /stores/set`. */
export type StoresSetRequest = z.infer<typeof storesSetRequest>
/** Reply of `POST /stores/get`. */
export type StoresGetReply = z.infer<typeof storesGetReply>
/** Reply of `POST /stores/find`. */
export type StoresFindReply = z.infer<typeof storesFindReply>

interface Fault {
  readonly path: number[]
  readonly message: string
}

function findFaultOfList(value: unknown): Fault | undefined {
  if (value === undefined) return { path: [], message: REQUIRED }
  if (!Array.isArray(value)) return { path: [], message: 'must be an array of vectors' }
  if (value.length === 0) return { path: [], message: 'must have at least one vector' }
  const items: readonly unknown[] = value
  const first = items[0]
  const length = Array.isArray(first) ? first.length : 0
  for (const [index, item] of items.entries()) {
    const fault = findFault(item)
    if (fault !== undefined) return { ...fault, path: [index, ...fault.path] }
    if (Array.isArray(item) && item.length !== length) {
      return { path: [index], message: `must have ${length} numbers like the first vector, not ${item.length}` }
    }
  }
  return undefined
}

function findFault(value: unknown): Fault | undefined {
  if (value === undefined) return { path: [], message: REQUIRED }
  if (!Array.isArray(value)) return { path: [], message: 'must be an array of numbers' }
  if (value.length === 0) return { path: [], message: 'must have at least one number' }
  if (value.length > MAX_VECTOR_LENGTH) {
    return { path: [], message: `must have at most ${MAX_VECTOR_LENGTH} numbers` }
  }
  const index = findNoFloat32(value)
  return index < 0 ? undefined : { path: [index], message: 'must be a number that a 32-bit float can hold' }
}
