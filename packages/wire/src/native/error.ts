import * as z from 'zod'
import { compatibleError } from '../openai/error.ts'

/**
 * The error of routes for pages: its text. Refusals of the gate, 401 and 403, have the fields of the compatible format in its
 * place.
 */
export const flatErrorReply = z.looseObject({ error: z.union([z.string(), compatibleError]) })
