import * as z from 'zod'

/** The inside of the compatible error body (§7.1); `code` is the integer status unless a word is specified. */
export const compatibleError = z.looseObject({
  code: z.union([z.int(), z.string()]),
  message: z.string(),
  type: z.string(),
  param: z.string().nullable(),
})

/** Loading progress of a cold model, beside a `model_loading` error. */
export const modelLoading = z.looseObject({
  model: z.string(),
  state: z.string(),
  progress: z.number().exactOptional(),
})

/** The compatible error body; also the in-band error event of a chat stream. */
export const compatibleErrorReply = z.looseObject({
  error: compatibleError,
  loading: modelLoading.exactOptional(),
})

/** The inside of the compatible error body. */
export type CompatibleError = z.infer<typeof compatibleError>
/** Loading progress of a cold model. */
export type ModelLoading = z.infer<typeof modelLoading>
/** The compatible error body. */
export type CompatibleErrorReply = z.infer<typeof compatibleErrorReply>
