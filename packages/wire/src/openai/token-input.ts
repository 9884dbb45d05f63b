import * as z from 'zod'
import { MAX_INT32 } from '../scalars.ts'

/*
 * Checked by hand up to the first fault: a schema with an issue for each of a few hundred thousand numbers would block
 * the event loop for seconds.
 */

const TOKEN = { type: 'integer', minimum: 0, maximum: MAX_INT32 } as const
const TOKENS = { type: 'array', items: TOKEN } as const
const NO_TOKEN = 'must be a token, a whole number from 0'
const REQUIRED = { path: [], message: 'is required' }

/** A text as ids of a model's own vocabulary. */
export const tokenList = z
  .custom<number[]>()
  .superRefine((value: unknown, context) => {
    const fault = Array.isArray(value) ? faultOfTokens(value) : { path: [], message: 'must be an array' }
    if (fault !== undefined) context.addIssue({ code: 'custom', ...fault })
  })
  .meta({ ...TOKENS })

/**
 * Text in every form clients send: one text, several, one list of tokens, several lists. Texts and lists may be mixed;
 * bare tokens may not be mixed with them.
 */
export const textOrTokens = z
  .custom<string | (string | number | number[])[]>()
  .superRefine((value: unknown, context) => {
    const fault = findFault(value)
    if (fault !== undefined) context.addIssue({ code: 'custom', ...fault })
  })
  .meta({ anyOf: [{ type: 'string' }, TOKENS, { type: 'array', items: { anyOf: [{ type: 'string' }, TOKENS] } }] })

/** Text in every form, as it came. */
export type TextOrTokens = z.infer<typeof textOrTokens>

/** Each text or list of tokens for itself, in order. */
export function toTexts(value: TextOrTokens): readonly (string | readonly number[])[] {
  if (typeof value === 'string') return [value]
  const tokens = value.filter((item) => typeof item === 'number')
  return tokens.length > 0 ? [tokens] : value.filter((item) => typeof item !== 'number')
}

interface Fault {
  readonly path: number[]
  readonly message: string
}

function findFault(value: unknown): Fault | undefined {
  if (typeof value === 'string') return undefined
  if (value === undefined) return REQUIRED
  if (!Array.isArray(value)) return { path: [], message: 'must be a string or an array' }
  if (typeof value[0] === 'number') return faultOfTokens(value)
  for (const [index, item] of value.entries()) {
    if (typeof item === 'string') continue
    if (!Array.isArray(item)) return { path: [index], message: 'must be a string or an array of tokens' }
    const fault = faultOfTokens(item)
    if (fault !== undefined) return { ...fault, path: [index, ...fault.path] }
  }
  return undefined
}

function faultOfTokens(items: readonly unknown[]): Fault | undefined {
  const index = items.findIndex((item) => !isToken(item))
  return index < 0 ? undefined : { path: [index], message: NO_TOKEN }
}

function isToken(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_INT32
}
