import * as z from 'zod'
import { completionUsage } from './usage.ts'

/** The reason why a choice ended. */
export const chatFinishReason = z.enum(['stop', 'length', 'tool_calls', 'function_call', 'content_filter'])

const alternative = { token: z.string(), logprob: z.number(), bytes: z.array(z.int().min(0).max(255)).nullable() }

/** One generated token with its log probability and the likeliest alternatives. */
export const chatTokenLogprob = z.looseObject({
  ...alternative,
  top_logprobs: z.array(z.looseObject(alternative)),
})

const choiceLogprobs = z
  .looseObject({
    content: z.array(chatTokenLogprob).nullable(),
    refusal: z.array(chatTokenLogprob).nullable(),
  })
  .nullable()

/** A tool call of a reply; `arguments` is JSON text. */
export const chatToolCall = z.looseObject({
  index: z.int().min(0).exactOptional(),
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
})

/** A call of a tool that the server runs; `arguments` is JSON text. */
export const mcpCall = z.looseObject({
  id: z.string(),
  /** The label of its server. */
  server: z.string(),
  /** The name on its server. */
  tool: z.string(),
  /** The name for the model. */
  name: z.string(),
  arguments: z.string(),
})

/** The result of a tool that the server ran. */
export const mcpResult = z.looseObject({
  /** The id of its call. */
  id: z.string(),
  name: z.string(),
  result: z.string(),
  is_error: z.boolean(),
})

/** A call of a tool that the server ran, with its result. */
export const mcpToolCall = z.looseObject({ ...mcpCall.shape, result: z.string(), is_error: z.boolean() })

/** The assistant's message of one choice. */
export const chatReplyMessage = z.looseObject({
  role: z.literal('assistant'),
  content: z.string().nullable(),
  refusal: z.string().nullable(),
  reasoning: z.string().exactOptional(),
  tool_calls: z.array(chatToolCall).exactOptional(),
  function_call: z.looseObject({ name: z.string(), arguments: z.string() }).exactOptional(),
  /** Calls that the server has run. */
  mcp_tool_calls: z.array(mcpToolCall).exactOptional(),
  /** Calls that run once their caller agrees; they are among `tool_calls` too. */
  mcp_approval_requests: z.array(mcpCall).exactOptional(),
})

/** One of the `n` answers. */
export const chatChoice = z.looseObject({
  index: z.int().min(0),
  message: chatReplyMessage,
  finish_reason: chatFinishReason,
  logprobs: choiceLogprobs,
})

/** Reply of `POST /v1/chat/completions` without `stream`; `created` is in seconds. */
export const chatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  choices: z.array(chatChoice),
  usage: completionUsage.exactOptional(),
  system_fingerprint: z.string().exactOptional(),
})

/** A piece of a tool call; the first of a call carries `id`, `type` and `function.name`. */
export const chatToolCallDelta = z.looseObject({
  index: z.int().min(0),
  id: z.string().exactOptional(),
  type: z.literal('function').exactOptional(),
  function: z.looseObject({ name: z.string().exactOptional(), arguments: z.string().exactOptional() }).exactOptional(),
})

/** The additions of one chunk to a choice. */
export const chatDelta = z.looseObject({
  role: z.literal('assistant').exactOptional(),
  content: z.string().nullable().exactOptional(),
  refusal: z.string().nullable().exactOptional(),
  reasoning: z.string().exactOptional(),
  tool_calls: z.array(chatToolCallDelta).exactOptional(),
  function_call: z
    .looseObject({ name: z.string().exactOptional(), arguments: z.string().exactOptional() })
    .exactOptional(),
})

/** One choice's part of a chunk. */
export const chatChunkChoice = z.looseObject({
  index: z.int().min(0),
  delta: chatDelta,
  finish_reason: chatFinishReason.nullable(),
  logprobs: choiceLogprobs.exactOptional(),
})

/**
 * One event of a streamed reply; only the last one before `[DONE]` has `usage`, and no choices. Events about tools that
 * the server runs have no choices either.
 */
export const chatCompletionChunk = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  created: z.int(),
  model: z.string(),
  choices: z.array(chatChunkChoice),
  usage: completionUsage.nullable().exactOptional(),
  system_fingerprint: z.string().exactOptional(),
  mcp_tool_call: mcpCall.exactOptional(),
  mcp_tool_result: mcpResult.exactOptional(),
  mcp_approval_request: mcpCall.exactOptional(),
})

/** The reason why a choice ended. */
export type ChatFinishReason = z.infer<typeof chatFinishReason>
/** One generated token with its log probability. */
export type ChatTokenLogprob = z.infer<typeof chatTokenLogprob>
/** A tool call of a reply. */
export type ChatToolCall = z.infer<typeof chatToolCall>
/** A call of a tool that the server runs. */
export type McpCall = z.infer<typeof mcpCall>
/** The result of a tool that the server ran. */
export type McpResult = z.infer<typeof mcpResult>
/** A call of a tool that the server ran, with its result. */
export type McpToolCall = z.infer<typeof mcpToolCall>
/** The assistant's message of one choice. */
export type ChatReplyMessage = z.infer<typeof chatReplyMessage>
/** One of the `n` answers. */
export type ChatChoice = z.infer<typeof chatChoice>
/** A whole chat reply. */
export type ChatCompletion = z.infer<typeof chatCompletion>
/** A piece of a tool call. */
export type ChatToolCallDelta = z.infer<typeof chatToolCallDelta>
/** The additions of one chunk to a choice. */
export type ChatDelta = z.infer<typeof chatDelta>
/** One choice's part of a chunk. */
export type ChatChunkChoice = z.infer<typeof chatChunkChoice>
/** One event of a streamed chat reply. */
export type ChatCompletionChunk = z.infer<typeof chatCompletionChunk>
