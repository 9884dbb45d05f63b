import * as z from 'zod'
import { compatibleError } from '../openai/error.ts'

/**
 * The error of routes for pages: its text. Refusals of the gate, 401 and 403, have the fields of the compatible format in its
 * place.
 */
export const flatErrorReply = z.looseObject({ error: z.union([z.string(), compatibleError]) })

/** The error of routes that change a model file: the fields of their other replies, and the mistake. */
export const modelFileErrorReply = z.looseObject({
  success: z.literal(false).optional(),
  message: z.string().optional(),
  error: z.union([z.string(), compatibleError]),
  /** The file of the model, where it is known. */
  filename: z.string().optional(),
  pending_cleanup: z.int().optional(),
})
