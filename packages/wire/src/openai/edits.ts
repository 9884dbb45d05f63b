import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { chatCompletionRequest } from './chat.ts'
import { completionUsage } from './usage.ts'

/** Fields that edits share with chat. */
const shared = chatCompletionRequest.pick({
  model: true,
  n: true,
  temperature: true,
  top_p: true,
  top_k: true,
  max_tokens: true,
  stop: true,
  seed: true,
  reasoning_effort: true,
  metadata: true,
  user: true,
}).shape

/** Body of `POST /v1/edits`. Unknown keys survive; an optional field that is `null` counts as absent. */
export const editRequest = z.looseObject({
  ...shared,
  /** The texts to change, each for itself. @default one empty text */
  input: z.union([z.string(), endAtFirstFault(z.array(z.string()))]).nullish(),
  /** The change to make. */
  instruction: z.string(),
})

/** Reply of `POST /v1/edits`: `n` choices for each text, in their order; `created` is in seconds. */
export const edit = z.looseObject({
  id: z.string(),
  object: z.literal('edit'),
  created: z.int(),
  model: z.string(),
  choices: z.array(z.looseObject({ index: z.int().min(0), text: z.string() })),
  usage: completionUsage,
})

/** Body of `POST /v1/edits`. */
export type EditRequest = z.infer<typeof editRequest>
/** A whole reply. */
export type Edit = z.infer<typeof edit>
