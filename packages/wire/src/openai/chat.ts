import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { anyObject, anySeed, count, float32, int32, MAX_INT32, positiveFloat32, unitInterval } from '../scalars.ts'
import { chatRequestMessage } from './chat-message.ts'
import { chatAnyTool, chatFunction, chatFunctionChoice, chatToolChoice } from './chat-tools.ts'

/** The required form of the reply; a bare word means `{type: word}`. */
export const chatResponseFormat = z.union([
  z.enum(['text', 'json_object']),
  z.discriminatedUnion('type', [
    z.looseObject({ type: z.literal('text') }),
    z.looseObject({ type: z.literal('json_object'), schema: anyObject.nullish() }),
    z.looseObject({
      type: z.literal('json_schema'),
      json_schema: z.looseObject({
        name: z.string().nullish(),
        description: z.string().nullish(),
        strict: z.boolean().nullish(),
        schema: anyObject.nullish(),
      }),
    }),
  ]),
])

/** Stop words. The server looks for each of them at every token, so their number has a limit. */
export const stopWords = z.union([z.string().max(4096), endAtFirstFault(z.array(z.string().max(4096)).max(128))])

/** Most tokens of an answer; 0 and -1 mean no limit, as clients of local servers send them. */
const tokenLimit = z.int().min(-1).max(MAX_INT32)

const sampling = {
  temperature: positiveFloat32.nullish(),
  top_p: unitInterval.nullish(),
  n: z.int().min(1).max(128).nullish(),
  max_tokens: tokenLimit.nullish(),
  max_completion_tokens: tokenLimit.nullish(),
  stop: stopWords.nullish(),
  seed: anySeed.nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  logprobs: z.union([z.boolean(), count]).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  logit_bias: endAtFirstFault(z.record(z.string().regex(/^\d{1,10}$/), z.number().min(-100).max(100))).nullish(),
  reasoning_effort: z.string().nullish(),
}

/** Sampling and prompt options of local engines that the compatible format lacks. */
const vendorExtras = {
  top_k: z.int().min(-1).max(MAX_INT32).nullish(),
  min_p: unitInterval.nullish(),
  typical_p: unitInterval.nullish(),
  tfz: positiveFloat32.nullish(),
  repeat_penalty: positiveFloat32.nullish(),
  repeat_last_n: z.int().min(-1).max(MAX_INT32).nullish(),
  n_keep: z.int().min(-1).max(MAX_INT32).nullish(),
  batch: count.nullish(),
  ignore_eos: z.boolean().nullish(),
  echo: z.boolean().nullish(),
  grammar: z.string().nullish(),
  grammar_json_functions: anyObject.nullish(),
  negative_prompt: z.string().nullish(),
  negative_prompt_scale: float32.nullish(),
  clip_skip: int32.nullish(),
  rope_freq_base: positiveFloat32.nullish(),
  rope_freq_scale: positiveFloat32.nullish(),
}

/** Fields official clients send that change nothing here. */
const ignored = {
  user: z.string().nullish(),
  store: z.boolean().nullish(),
  service_tier: z.string().nullish(),
  prediction: anyObject.nullish(),
  modalities: endAtFirstFault(z.array(z.string())).nullish(),
  audio: anyObject.nullish(),
  web_search_options: anyObject.nullish(),
  prompt_cache_key: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  verbosity: z.string().nullish(),
}

/**
 * Body of `POST /v1/chat/completions`. Unknown keys survive; an optional field that is `null` counts as absent,
 * because official clients write it so.
 */
export const chatCompletionRequest = z.looseObject({
  model: z.string().nullish(),
  messages: endAtFirstFault(z.array(chatRequestMessage).min(1)),
  stream: z.boolean().nullish(),
  stream_options: z
    .looseObject({ include_usage: z.boolean().nullish(), include_obfuscation: z.boolean().nullish() })
    .nullish(),
  tools: endAtFirstFault(z.array(chatAnyTool)).nullish(),
  tool_choice: chatToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  functions: endAtFirstFault(z.array(chatFunction)).nullish(),
  function_call: chatFunctionChoice.nullish(),
  response_format: chatResponseFormat.nullish(),
  metadata: endAtFirstFault(z.record(z.string(), z.string())).nullish(),
  ...sampling,
  ...vendorExtras,
  ...ignored,
})

/** Body of `POST /v1/chat/completions`. */
export type ChatCompletionRequest = z.infer<typeof chatCompletionRequest>
/** The required form of the reply, as it came. */
export type ChatResponseFormat = z.infer<typeof chatResponseFormat>
