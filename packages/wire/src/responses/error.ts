import * as z from 'zod'

/** The inside of the error body of the responses routes (§7.1). */
export const responseError = z.looseObject({
  type: z.string(),
  message: z.string(),
  code: z.string(),
  param: z.string(),
})

/** The error body of the responses routes. */
export const responseErrorReply = z.looseObject({ error: responseError })

/** The error body of the responses routes. */
export type ResponseErrorReply = z.infer<typeof responseErrorReply>
