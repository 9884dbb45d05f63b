import * as z from 'zod'
import { responseLogprob, responseOutputItem, responseOutputText, responseReasoningText } from './items.ts'
import { responseResource } from './resource.ts'

const place = z.int().min(0)
const numbered = { sequence_number: place }
const ofItem = { ...numbered, item_id: z.string(), output_index: place }
const ofPart = { ...ofItem, content_index: place }
const part = z.union([responseOutputText, responseReasoningText])

const whole = <const T extends string>(type: T) =>
  z.looseObject({ type: z.literal(type), ...numbered, response: responseResource })

/**
 * One event of a streamed response. `sequence_number` begins at 0 and grows by one; `output_index` is the place of
 * the item in the final `output`, `content_index` that of the part in its item.
 */
export const responseEvent = z.discriminatedUnion('type', [
  whole('response.created'),
  whole('response.queued'),
  whole('response.in_progress'),
  whole('response.completed'),
  whole('response.incomplete'),
  whole('response.failed'),
  z.looseObject({
    type: z.enum(['response.output_item.added', 'response.output_item.done']),
    ...numbered,
    output_index: place,
    item: responseOutputItem,
  }),
  z.looseObject({ type: z.enum(['response.content_part.added', 'response.content_part.done']), ...ofPart, part }),
  z.looseObject({
    type: z.literal('response.output_text.delta'),
    ...ofPart,
    delta: z.string(),
    logprobs: z.array(responseLogprob),
  }),
  z.looseObject({
    type: z.literal('response.output_text.done'),
    ...ofPart,
    text: z.string(),
    logprobs: z.array(responseLogprob),
  }),
  z.looseObject({ type: z.literal('response.reasoning_text.delta'), ...ofPart, delta: z.string() }),
  z.looseObject({ type: z.literal('response.reasoning_text.done'), ...ofPart, text: z.string() }),
  z.looseObject({ type: z.literal('response.function_call_arguments.delta'), ...ofItem, delta: z.string() }),
  z.looseObject({
    type: z.literal('response.function_call_arguments.done'),
    ...ofItem,
    name: z.string(),
    arguments: z.string(),
  }),
  z.looseObject({
    type: z.enum([
      'response.mcp_list_tools.in_progress',
      'response.mcp_list_tools.completed',
      'response.mcp_list_tools.failed',
      'response.mcp_call.in_progress',
      'response.mcp_call.completed',
      'response.mcp_call.failed',
      'response.file_search_call.in_progress',
      'response.file_search_call.searching',
      'response.file_search_call.completed',
    ]),
    ...ofItem,
  }),
  z.looseObject({ type: z.literal('response.mcp_call_arguments.delta'), ...ofItem, delta: z.string() }),
  z.looseObject({ type: z.literal('response.mcp_call_arguments.done'), ...ofItem, arguments: z.string() }),
  z.looseObject({
    type: z.literal('error'),
    ...numbered,
    code: z.string().nullable(),
    message: z.string(),
    param: z.string().nullable(),
  }),
])

/** One event of a streamed response. */
export type ResponseEvent = z.infer<typeof responseEvent>
