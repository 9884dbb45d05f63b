import * as z from 'zod'
import { compatibleError } from '../openai/error.ts'

const notInForce = z
  .array(
    z.looseObject({
      key: z.string(),
      /** Reason why it does not act. */
      reason: z.string(),
    }),
  )
  .exactOptional()

/** Reply of `POST /api/settings`. */
export const settingsUpdateReply = z.looseObject({
  success: z.boolean(),
  message: z.string().exactOptional(),
  error: z.string().exactOptional(),
  /** Settings that were saved and do not act, each with the reason. */
  not_in_force: notInForce,
  /** Faults of things that a saved value names, by setting. */
  warnings: z.array(z.string()).exactOptional(),
})

/** The error of `POST /api/settings`. With `not_in_force` the settings were saved all the same. */
export const settingsErrorReply = z.looseObject({
  success: z.literal(false).optional(),
  error: z.union([z.string(), compatibleError]),
  not_in_force: notInForce,
})

/** Reply of `POST /api/settings`. */
export type SettingsUpdateReply = z.infer<typeof settingsUpdateReply>
