import * as z from 'zod'
import { anyObject } from '../scalars.ts'
import { responseOutputItem } from './items.ts'
import { responseTextFormat, responseTool, responseToolChoice } from './request.ts'

/** State of a response; only the first two values change. */
export const responseStatus = z.enum(['queued', 'in_progress', 'completed', 'failed', 'incomplete', 'cancelled'])

/** Token counts of a response. */
export const responseUsage = z.looseObject({
  input_tokens: z.int().min(0),
  input_tokens_details: z.looseObject({ cached_tokens: z.int().min(0), cache_write_tokens: z.int().min(0) }),
  output_tokens: z.int().min(0),
  output_tokens_details: z.looseObject({ reasoning_tokens: z.int().min(0) }),
  total_tokens: z.int().min(0),
})

/** A response: the request, the progress and the output; times are in Unix seconds. */
export const responseResource = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: responseStatus,
  model: z.string(),
  output: z.array(responseOutputItem),
  error: z.looseObject({ code: z.string(), message: z.string(), type: z.string() }).nullable(),
  incomplete_details: z.looseObject({ reason: z.enum(['max_output_tokens', 'content_filter']) }).nullable(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  tools: z.array(responseTool),
  tool_choice: responseToolChoice,
  parallel_tool_calls: z.boolean(),
  max_tool_calls: z.int().nullable(),
  temperature: z.number(),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  max_output_tokens: z.int().nullable(),
  text: z.looseObject({ format: responseTextFormat }),
  truncation: z.enum(['auto', 'disabled']),
  reasoning: anyObject.nullable(),
  usage: responseUsage.nullable(),
  metadata: z.record(z.string(), z.string()),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
})

/** Reply of `POST /v1/responses/input_tokens`. */
export const responseCountReply = z.looseObject({
  object: z.literal('response.input_tokens'),
  input_tokens: z.int().min(0),
})

/** A response. */
export type ResponseResource = z.infer<typeof responseResource>
/** Token counts of a response. */
export type ResponseUsage = z.infer<typeof responseUsage>
/** State of a response. */
export type ResponseStatus = z.infer<typeof responseStatus>
/** The tokens of an input. */
export type ResponseCountReply = z.infer<typeof responseCountReply>
