import * as z from 'zod'

/** Reply of `POST /api/settings`. */
export const settingsUpdateReply = z.looseObject({
  success: z.boolean(),
  message: z.string().exactOptional(),
  error: z.string().exactOptional(),
})

/** Reply of `POST /api/settings`. */
export type SettingsUpdateReply = z.infer<typeof settingsUpdateReply>
