import * as z from 'zod'

/** The largest number of a slot that the backend contract carries. */
const MAX_SLOT = 2 ** 31 - 1

const slot = z.int().min(0).max(MAX_SLOT)

/** Id of a saved state: 128 random bits. */
export const slotStateId = z.string().regex(/^[0-9a-f]{32}$/, 'must have 32 lower-case hexadecimal digits')

/** Body of `POST /v1/slots/save`. The server makes the id, so a request has none. */
export const slotSaveRequest = z.looseObject({
  model: z.string().nullish(),
  /** Number of the slot, from 0. */
  slot,
  id: z.null('must be left out: the server makes it').optional(),
})

/** Reply of `POST /v1/slots/save`. */
export const slotSaveReply = z.looseObject({
  id: slotStateId,
  model: z.string(),
  slot: z.int(),
  /** Tokens that the slot held. */
  n_saved: z.int().min(0),
  /** Size of the saved state. */
  bytes: z.int().min(0),
  /** Time that the backend needed. */
  ms: z.number().min(0),
})

/** Body of `POST /v1/slots/restore`. */
export const slotRestoreRequest = z.looseObject({
  model: z.string().nullish(),
  /** Number of the slot, from 0; need not be the slot that was saved. */
  slot,
  id: slotStateId,
})

/** Reply of `POST /v1/slots/restore`. */
export const slotRestoreReply = z.looseObject({
  id: slotStateId,
  model: z.string(),
  slot: z.int(),
  /** Tokens that the slot holds now. */
  n_restored: z.int().min(0),
  /** Size of the saved state. */
  bytes: z.int().min(0),
  /** Time that the backend needed. */
  ms: z.number().min(0),
})

/** Body of `POST /v1/slots/save`. */
export type SlotSaveRequest = z.infer<typeof slotSaveRequest>
/** Reply of `POST /v1/slots/save`. */
export type SlotSaveReply = z.infer<typeof slotSaveReply>
/** Body of `POST /v1/slots/restore`. */
export type SlotRestoreRequest = z.infer<typeof slotRestoreRequest>
/** Reply of `POST /v1/slots/restore`. */
export type SlotRestoreReply = z.infer<typeof slotRestoreReply>
