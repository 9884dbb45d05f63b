import * as z from 'zod'

/** The largest 32-bit signed integer, the limit of backends for counts and sizes. */
export const MAX_INT32 = 2_147_483_647

/** The largest 32-bit float, the limit of backends for sampling parameters. */
const MAX_FLOAT32 = 3.4028234663852886e38

/** A whole number a backend can take. */
export const int32 = z.int().min(-MAX_INT32).max(MAX_INT32)

/** A whole number of any size: clients draw seeds from 64 bits. */
export const anySeed = z.number().refine(Number.isInteger, 'must be a whole number').meta({ type: 'integer' })

/** A count: whole, not negative. */
export const count = z.int().min(0).max(MAX_INT32)

/** A finite number a backend can take. */
export const float32 = z.number().min(-MAX_FLOAT32).max(MAX_FLOAT32)

/** A finite number that is not negative. */
export const positiveFloat32 = z.number().min(0).max(MAX_FLOAT32)

/** Gives the place of the first entry that is not a number a 32-bit float can hold; -1 when there is none. */
export function findNoFloat32(entries: readonly unknown[]): number {
  return entries.findIndex((entry) => typeof entry !== 'number' || !Number.isFinite(Math.fround(entry)))
}

/** A share or probability. */
export const unitInterval = z.number().min(0).max(1)

/** A JSON object with arbitrary keys, such as a JSON Schema. */
export const anyObject = z.looseObject({})
