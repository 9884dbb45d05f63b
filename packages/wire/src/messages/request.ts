import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { anyObject, MAX_INT32, positiveFloat32, unitInterval } from '../scalars.ts'
import { messagesMessage, messagesTextBlock } from './blocks.ts'

/**
 * An entry of `tools`: the caller's own tools have no `type` or `custom`, any other type is one that a vendor runs;
 * `input_schema` is a JSON Schema, kept as it came.
 */
export const messagesTool = z.looseObject({
  type: z.string().nullish(),
  name: z.string().min(1),
  description: z.string().nullish(),
  input_schema: anyObject.nullish(),
  strict: z.boolean().nullish(),
})

/** An entry of `tools` that means the tools of an MCP server. */
export const messagesToolset = z.looseObject({
  type: z.literal('mcp_toolset'),
  mcp_server_name: z.string().nullish(),
  default_config: z.looseObject({ enabled: z.boolean().nullish() }).nullish(),
  /** By the name of a tool on its server. */
  configs: endAtFirstFault(z.record(z.string(), z.looseObject({ enabled: z.boolean().nullish() }))).nullish(),
})

/** A server of tools, which the server asks for the caller. */
export const messagesToolServer = z.looseObject({
  type: z.literal('url'),
  url: z.string(),
  name: z.string().min(1).max(64),
  authorization_token: z.string().nullish(),
  /** The older form of a toolset. */
  tool_configuration: z
    .looseObject({ enabled: z.boolean().nullish(), allowed_tools: endAtFirstFault(z.array(z.string())).nullish() })
    .nullish(),
})

const parallel = { disable_parallel_tool_use: z.boolean().nullish() }

/** The tools that may or must be called. */
export const messagesToolChoice = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('auto'), ...parallel }),
  z.looseObject({ type: z.literal('any'), ...parallel }),
  z.looseObject({ type: z.literal('none') }),
  z.looseObject({ type: z.literal('tool'), name: z.string().min(1), ...parallel }),
])

/** Whether the model thinks before it answers, and whether its thoughts are shown. */
export const messagesThinking = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('enabled'),
    budget_tokens: z.int().min(0).max(MAX_INT32).nullish(),
    display: z.string().nullish(),
  }),
  z.looseObject({ type: z.literal('adaptive'), display: z.string().nullish() }),
  z.looseObject({ type: z.literal('between_tools') }),
  z.looseObject({ type: z.literal('disabled') }),
])

/** Effort of the answer, and the form it must have. */
const outputConfig = z.looseObject({
  effort: z.string().nullish(),
  format: z.looseObject({ type: z.string(), schema: z.unknown() }).nullish(),
})

/** Fields that decide the prompt: the same for a reply and for a count of its tokens. */
const conversation = {
  model: z.string().nullish(),
  messages: endAtFirstFault(z.array(messagesMessage).min(1)),
  system: z.union([z.string(), endAtFirstFault(z.array(messagesTextBlock))]).nullish(),
  tools: endAtFirstFault(z.array(z.union([messagesTool, messagesToolset]))).nullish(),
  mcp_servers: endAtFirstFault(z.array(messagesToolServer)).nullish(),
  tool_choice: messagesToolChoice.nullish(),
  thinking: messagesThinking.nullish(),
  output_config: outputConfig.nullish(),
  /** Asks the server to keep the conversation (`create`), or goes on with a kept conversation (`continue`). */
  thread: z.looseObject({ type: z.string() }).nullish(),
}

/** Body of `POST /v1/messages/count_tokens`. */
export const messagesCountRequest = z.looseObject(conversation)

/**
 * Body of `POST /v1/messages`. Unknown keys survive; an optional field that is `null` counts as absent.
 */
export const messagesRequest = z.looseObject({
  ...conversation,
  max_tokens: z.int().min(1).max(MAX_INT32),
  stop_sequences: endAtFirstFault(z.array(z.string().max(4096)).max(128)).nullish(),
  stream: z.boolean().nullish(),
  temperature: positiveFloat32.nullish(),
  top_p: unitInterval.nullish(),
  top_k: z.int().min(-1).max(MAX_INT32).nullish(),
  metadata: anyObject.nullish(),
})

/** Body of `POST /v1/messages`. */
export type MessagesRequest = z.infer<typeof messagesRequest>
/** Body of `POST /v1/messages/count_tokens`. */
export type MessagesCountRequest = z.infer<typeof messagesCountRequest>
/** An entry of `tools`. */
export type MessagesTool = z.infer<typeof messagesTool>
/** An entry of `tools` that means the tools of an MCP server. */
export type MessagesToolset = z.infer<typeof messagesToolset>
/** A server of tools. */
export type MessagesToolServer = z.infer<typeof messagesToolServer>
/** The tools that may or must be called. */
export type MessagesToolChoice = z.infer<typeof messagesToolChoice>
