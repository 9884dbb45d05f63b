import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { chatFunction } from '../openai/chat-tools.ts'
import { anyObject } from '../scalars.ts'
import { ollamaGeneration } from './options.ts'
import { ollamaFigures, ollamaLine } from './reply.ts'

/** A call of a tool; the arguments are an object, not text. */
export const ollamaToolCall = z.looseObject({
  id: z.string().nullish(),
  function: z.looseObject({
    index: z.int().min(0).nullish(),
    name: z.string(),
    arguments: anyObject.nullish(),
  }),
})

/** A message of the conversation. */
export const ollamaMessage = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string().nullish(),
  thinking: z.string().nullish(),
  /** Base64, without a `data:` address. */
  images: endAtFirstFault(z.array(z.string())).nullish(),
  tool_calls: endAtFirstFault(z.array(ollamaToolCall)).nullish(),
  /** The tool whose result this is. */
  tool_name: z.string().nullish(),
  tool_call_id: z.string().nullish(),
})

/** An entry of `tools`: a function, with any type or none, or a tool of another kind. */
export const ollamaTool = z.union([
  z.looseObject({ type: z.string().nullish(), function: chatFunction }),
  z.looseObject({ type: z.string(), function: z.undefined().optional() }),
])

/** Body of `POST /api/chat`. Without messages the model is only loaded. */
export const ollamaChatRequest = z.looseObject({
  ...ollamaGeneration,
  messages: endAtFirstFault(z.array(ollamaMessage)).nullish(),
  tools: endAtFirstFault(z.array(ollamaTool)).nullish(),
})

/** Reply of `POST /api/chat`, or one line of it while it is streamed. */
export const ollamaChatReply = z.looseObject({
  ...ollamaLine,
  message: z.looseObject({
    role: z.literal('assistant'),
    content: z.string(),
    thinking: z.string().exactOptional(),
    tool_calls: z
      .array(
        z.looseObject({
          id: z.string(),
          function: z.looseObject({ index: z.int().min(0), name: z.string(), arguments: anyObject }),
        }),
      )
      .exactOptional(),
  }),
  ...ollamaFigures,
})

/** A message of the conversation. */
export type OllamaMessage = z.infer<typeof ollamaMessage>
/** Body of `POST /api/chat`. */
export type OllamaChatRequest = z.infer<typeof ollamaChatRequest>
/** Reply of `POST /api/chat`, or one line of it. */
export type OllamaChatReply = z.infer<typeof ollamaChatReply>
