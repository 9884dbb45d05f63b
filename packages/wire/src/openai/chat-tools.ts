import * as z from 'zod'
import { anyObject } from '../scalars.ts'

/** A function the model may call; `parameters` is a JSON Schema, kept as it came. */
export const chatFunction = z.looseObject({
  name: z.string().min(1),
  description: z.string().nullish(),
  parameters: anyObject.nullish(),
  strict: z.boolean().nullish(),
})

/** An entry of `tools` that the caller runs. */
export const chatTool = z.looseObject({ type: z.literal('function'), function: chatFunction })

/** An entry of `tools` of any type. Vendors run tools of other types; local models run none of them. */
export const chatAnyTool = z.union([
  chatTool,
  // Aborting: the error for a function of a wrong shape must name its field, not its type.
  z.looseObject({ type: z.string().refine((type) => type !== 'function', { abort: true }) }),
])

/**
 * `tool_choice` in every form clients send: a word (some write `any` for `required`), the nested object, the flat
 * object, or one of these objects as JSON text.
 */
export const chatToolChoice = z.union([
  z.string().regex(/^(?:(?:auto|none|required|any)$|\s*\{)/, 'must be "auto", "none", "required" or an object'),
  z.looseObject({ type: z.literal('function'), function: z.looseObject({ name: z.string() }) }),
  z.looseObject({ type: z.literal('function'), name: z.string() }),
])

/** `function_call` of a request, the legacy form of `tool_choice`. */
export const chatFunctionChoice = z.union([z.enum(['auto', 'none']), z.looseObject({ name: z.string() })])

/** A function the model may call. */
export type ChatFunction = z.infer<typeof chatFunction>
/** An entry of `tools` that the caller runs. */
export type ChatTool = z.infer<typeof chatTool>
/** An entry of `tools` of any type. */
export type ChatAnyTool = z.infer<typeof chatAnyTool>
/** `tool_choice` as it came. */
export type ChatToolChoice = z.infer<typeof chatToolChoice>
/** `function_call` of a request as it came. */
export type ChatFunctionChoice = z.infer<typeof chatFunctionChoice>
