import * as z from 'zod'
import { MAX_INT32 } from '../scalars.ts'

/** One token of a model's own vocabulary. */
export const tokenId = z.int().min(0).max(MAX_INT32)

/** A text as its tokens. */
export const tokenList = z.array(tokenId)

/**
 * Text in every form that clients send it in: one text, several, one list of tokens, several lists. Texts and lists may
 * stand side by side; bare tokens stand among their like.
 */
export const textOrTokens = z.union([
  z.string(),
  z.array(z.union([z.string(), tokenId, tokenList])).superRefine((items, context) => {
    const isBare = typeof items[0] === 'number'
    const stray = items.findIndex((item) => (typeof item === 'number') !== isBare)
    if (stray < 0) return
    const message = 'Invalid input: tokens beside texts must be a list of their own'
    context.addIssue({ code: 'custom', path: [stray], message })
  }),
])

/** Text in every form, as it came. */
export type TextOrTokens = z.infer<typeof textOrTokens>

/** Each text or list of tokens for itself, in order. */
export function textsOf(value: TextOrTokens): readonly (string | readonly number[])[] {
  if (typeof value === 'string') return [value]
  const tokens = value.filter((item) => typeof item === 'number')
  return tokens.length > 0 ? [tokens] : value.filter((item) => typeof item !== 'number')
}
