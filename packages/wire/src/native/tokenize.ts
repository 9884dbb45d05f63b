import * as z from 'zod'
import { tokenList } from '../openai/token-input.ts'

/** Body of `POST /v1/tokenize`. */
export const tokenizeRequest = z.looseObject({ model: z.string().nullish(), content: z.string() })

/** Reply of `POST /v1/tokenize`: ids of the model's own vocabulary. */
export const tokenizeReply = z.looseObject({ tokens: tokenList })

/** Body of `POST /v1/detokenize`. */
export const detokenizeRequest = z.looseObject({ model: z.string().nullish(), tokens: tokenList })

/** Reply of `POST /v1/detokenize`. */
export const detokenizeReply = z.looseObject({ content: z.string() })

/** Body of `POST /v1/tokenize`. */
export type TokenizeRequest = z.infer<typeof tokenizeRequest>
/** Reply of `POST /v1/tokenize`. */
export type TokenizeReply = z.infer<typeof tokenizeReply>
/** Body of `POST /v1/detokenize`. */
export type DetokenizeRequest = z.infer<typeof detokenizeRequest>
/** Reply of `POST /v1/detokenize`. */
export type DetokenizeReply = z.infer<typeof detokenizeReply>
