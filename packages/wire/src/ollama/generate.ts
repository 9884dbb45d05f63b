import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { ollamaGeneration } from './options.ts'
import { ollamaFigures, ollamaLine } from './reply.ts'

/** Body of `POST /api/generate`. Without a prompt the model is only loaded. */
export const ollamaGenerateRequest = z.looseObject({
  ...ollamaGeneration,
  prompt: z.string().nullish(),
  /** Text behind the answer. */
  suffix: z.string().nullish(),
  system: z.string().nullish(),
  /** A template in Go's language that takes the place of the model's own. */
  template: z.string().nullish(),
  /** Whether the prompt goes to the model as it is. */
  raw: z.boolean().nullish(),
  /** The `context` of the last reply; continues that conversation. */
  context: endAtFirstFault(z.array(z.int().min(0))).nullish(),
  /** Base64, without a `data:` address. */
  images: endAtFirstFault(z.array(z.string())).nullish(),
})

/** Reply of `POST /api/generate`, or one line of it while it is streamed. */
export const ollamaGenerateReply = z.looseObject({
  ...ollamaLine,
  response: z.string(),
  thinking: z.string().exactOptional(),
  ...ollamaFigures,
  /** The conversation so far, for the next request. */
  context: z.array(z.int().min(0)).exactOptional(),
})

/** Body of `POST /api/generate`. */
export type OllamaGenerateRequest = z.infer<typeof ollamaGenerateRequest>
/** Reply of `POST /api/generate`, or one line of it. */
export type OllamaGenerateReply = z.infer<typeof ollamaGenerateReply>
