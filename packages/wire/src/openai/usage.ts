import * as z from 'zod'

/**
 * Token counts of chat, completions and edits; the timings (ms), and the tokens that a local engine
 * remembered, only with the `Extra-Usage` header. Prompt tokens
 * include tokens of the prompt cache, completion tokens include tokens of thoughts. Details are absent if the model's
 * server does not report them.
 */
export const completionUsage = z.looseObject({
  prompt_tokens: z.int().min(0),
  completion_tokens: z.int().min(0),
  total_tokens: z.int().min(0),
  prompt_tokens_details: z
    .looseObject({
      cached_tokens: z.int().min(0).exactOptional(),
      cache_creation_tokens: z.int().min(0).exactOptional(),
    })
    .exactOptional(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: z.int().min(0).exactOptional() }).exactOptional(),
  timing_prompt_processing: z.number().exactOptional(),
  timing_token_generation: z.number().exactOptional(),
})

/** Token counts of one request. */
export type CompletionUsage = z.infer<typeof completionUsage>
