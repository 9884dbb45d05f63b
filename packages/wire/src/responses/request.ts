import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { stopWords } from '../openai/chat.ts'
import { anyObject, anySeed, count, positiveFloat32, unitInterval } from '../scalars.ts'
import { responseInputItem } from './items.ts'

const toolNames = z.looseObject({ tool_names: endAtFirstFault(z.array(z.string())).nullish() })

/** The tools of a server, which this server asks for the caller. */
export const responseServerTool = z.looseObject({
  type: z.literal('mcp'),
  server_label: z.string().min(1).max(64),
  server_url: z.string().nullish(),
  authorization: z.string().nullish(),
  headers: endAtFirstFault(z.record(z.string(), z.string())).nullish(),
  allowed_tools: z.union([endAtFirstFault(z.array(z.string())), toolNames]).nullish(),
  /** Which tools wait for the consent of the caller. */
  require_approval: z
    .union([z.enum(['always', 'never']), z.looseObject({ always: toolNames.nullish(), never: toolNames.nullish() })])
    .nullish(),
})

/** A search in vector stores of the caller. */
export const responseFileSearchTool = z.looseObject({
  type: z.literal('file_search'),
  vector_store_ids: endAtFirstFault(z.array(z.string()).min(1).max(16)),
  max_num_results: z.int().min(1).max(50).nullish(),
  ranking_options: z.looseObject({ score_threshold: unitInterval.nullish() }).nullish(),
  filters: z.unknown().optional(),
})

const OWN_SHAPES: ReadonlySet<string> = new Set(['function', 'mcp', 'file_search'])

/**
 * A function the model may call, flat, tools of a server, a search in files, or a tool of another type; local models run
 * none of the latter.
 */
export const responseTool = z.union([
  z.discriminatedUnion('type', [
    z.looseObject({
      type: z.literal('function'),
      name: z.string().min(1),
      description: z.string().nullish(),
      parameters: anyObject.nullish(),
      strict: z.boolean().nullish(),
    }),
    responseServerTool,
    responseFileSearchTool,
  ]),
  z.looseObject({ type: z.string().refine((type) => !OWN_SHAPES.has(type), { abort: true }) }),
])

/** `tool_choice`: a word, a function, or the tools among which the model may choose. */
export const responseToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.looseObject({ type: z.literal('function'), name: z.string() }),
  z.looseObject({
    type: z.literal('allowed_tools'),
    mode: z.enum(['auto', 'required']).nullish(),
    tools: endAtFirstFault(
      z.array(z.union([z.string(), z.looseObject({ type: z.string(), name: z.string().nullish() })])),
    ),
  }),
])

/** The form of the answer. */
export const responseTextFormat = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text') }),
  z.looseObject({ type: z.literal('json_object') }),
  z.looseObject({
    type: z.literal('json_schema'),
    name: z.string().nullish(),
    description: z.string().nullish(),
    schema: anyObject.nullish(),
    strict: z.boolean().nullish(),
  }),
])

const steering = {
  temperature: positiveFloat32.nullish(),
  top_p: unitInterval.nullish(),
  presence_penalty: z.number().min(-2).max(2).nullish(),
  frequency_penalty: z.number().min(-2).max(2).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  logit_bias: endAtFirstFault(z.record(z.string().regex(/^\d{1,10}$/), z.number().min(-100).max(100))).nullish(),
  seed: anySeed.nullish(),
  stop: stopWords.nullish(),
  max_output_tokens: count.nullish(),
  max_tool_calls: count.nullish(),
  reasoning: z.looseObject({ effort: z.string().nullish(), summary: z.string().nullish() }).nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  include: endAtFirstFault(z.array(z.string())).nullish(),
}

/** Fields official clients send that change nothing here. */
const ignored = {
  conversation: z.union([z.string(), anyObject]).nullish(),
  prompt: anyObject.nullish(),
  user: z.string().nullish(),
  prompt_cache_key: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  service_tier: z.string().nullish(),
  stream_options: z.looseObject({ include_obfuscation: z.boolean().nullish() }).nullish(),
}

/**
 * Body of `POST /v1/responses`. Unknown keys survive; an optional field that is `null` counts as absent, because
 * official clients write it so.
 */
export const responseRequest = z.looseObject({
  model: z.string().nullish(),
  input: z.union([z.string(), endAtFirstFault(z.array(responseInputItem))]),
  instructions: z.string().nullish(),
  previous_response_id: z.string().nullish(),
  store: z.boolean().nullish(),
  background: z.boolean().nullish(),
  stream: z.boolean().nullish(),
  tools: endAtFirstFault(z.array(responseTool)).nullish(),
  tool_choice: responseToolChoice.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z.looseObject({ format: responseTextFormat.nullish(), verbosity: z.string().nullish() }).nullish(),
  text_format: responseTextFormat.nullish(),
  metadata: endAtFirstFault(z.record(z.string(), z.string())).nullish(),
  ...steering,
  ...ignored,
})

/** Body of `POST /v1/responses/input_tokens`; without input it counts only the continued response. */
export const responseCountRequest = responseRequest.extend({ input: responseRequest.shape.input.nullish() })

/** Body of `POST /v1/responses`. */
export type ResponseRequest = z.infer<typeof responseRequest>
/** An entry of `tools`. */
export type ResponseTool = z.infer<typeof responseTool>
/** The tools of a server. */
export type ResponseServerTool = z.infer<typeof responseServerTool>
/** A search in vector stores. */
export type ResponseFileSearchTool = z.infer<typeof responseFileSearchTool>
/** `tool_choice` as it came. */
export type ResponseToolChoice = z.infer<typeof responseToolChoice>
/** The form of the answer, as it came. */
export type ResponseTextFormat = z.infer<typeof responseTextFormat>
/** Body of `POST /v1/responses/input_tokens`. */
export type ResponseCountRequest = z.infer<typeof responseCountRequest>
