import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { anyObject } from '../scalars.ts'

/** The roles a message of a responses request may have; `developer` is treated as `system`. */
export const RESPONSE_ROLES = ['user', 'assistant', 'system', 'developer'] as const

const status = z.enum(['in_progress', 'completed', 'incomplete'])

const tokenFacts = { token: z.string(), logprob: z.number(), bytes: z.array(z.int().min(0).max(255)) }

/** One generated token with its log probability and the likeliest alternatives. */
export const responseLogprob = z.looseObject({ ...tokenFacts, top_logprobs: z.array(z.looseObject(tokenFacts)) })

/** One part of the content of a message, of a type this server knows. */
export const responseContentPart = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['input_text', 'text']), text: z.string() }),
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({
    type: z.literal('input_image'),
    image_url: z.string().nullish(),
    file_id: z.string().nullish(),
    detail: z.string().nullish(),
  }),
  z.looseObject({
    type: z.literal('input_file'),
    file_data: z.string().nullish(),
    file_url: z.string().nullish(),
    file_id: z.string().nullish(),
    filename: z.string().nullish(),
  }),
  z.looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({ data: z.string(), format: z.string().nullish() }),
  }),
  z.looseObject({ type: z.literal('input_video'), video_url: z.string() }),
])

const content = z.union([z.string(), endAtFirstFault(z.array(responseContentPart))])

/** A message a request holds; its type may be left out. */
const responseInputMessage = z.looseObject({
  type: z.literal('message').nullish(),
  role: z.enum(RESPONSE_ROLES),
  content,
  id: z.string().nullish(),
  status: status.nullish(),
})

/** Thoughts of an earlier turn that a request holds. */
const responseInputReasoning = z.looseObject({
  type: z.literal('reasoning'),
  id: z.string().nullish(),
  summary: endAtFirstFault(z.array(z.looseObject({ text: z.string() }))).nullish(),
  content: endAtFirstFault(z.array(z.looseObject({ text: z.string() }))).nullish(),
  encrypted_content: z.string().nullish(),
  status: status.nullish(),
})

/** A call of an earlier turn; `arguments` is JSON text. */
const responseInputCall = z.looseObject({
  type: z.literal('function_call'),
  id: z.string().nullish(),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
  status: status.nullish(),
})

/** The result of a called function. */
const responseInputCallOutput = z.looseObject({
  type: z.literal('function_call_output'),
  id: z.string().nullish(),
  call_id: z.string(),
  output: content,
  status: status.nullish(),
})

/** The tools of a server, as an earlier turn listed them. */
const responseInputToolList = z.looseObject({
  type: z.literal('mcp_list_tools'),
  id: z.string().nullish(),
  server_label: z.string(),
  tools: endAtFirstFault(z.array(z.looseObject({ name: z.string() }))).nullish(),
  error: z.unknown().optional(),
})

/** A call of a tool that the server ran in an earlier turn. */
const responseInputServerCall = z.looseObject({
  type: z.literal('mcp_call'),
  id: z.string(),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string(),
  output: z.string().nullish(),
  error: z.unknown().optional(),
  approval_request_id: z.string().nullish(),
})

/** A call that waited for the consent of the caller. */
const responseInputApprovalRequest = z.looseObject({
  type: z.literal('mcp_approval_request'),
  id: z.string(),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string(),
})

/** The word of the caller about a call that waits. */
const responseInputApproval = z.looseObject({
  type: z.literal('mcp_approval_response'),
  id: z.string().nullish(),
  approval_request_id: z.string(),
  approve: z.boolean(),
  reason: z.string().nullish(),
})

/** A search in files that the server ran in an earlier turn. */
const responseInputFileSearch = z.looseObject({
  type: z.literal('file_search_call'),
  id: z.string(),
  queries: endAtFirstFault(z.array(z.string())),
  results: endAtFirstFault(z.array(anyObject)).nullish(),
  status: z.string().nullish(),
})

/** An item of a stored response by its id. */
const responseItemReference = z.looseObject({
  type: z.literal('item_reference').nullish(),
  id: z.string(),
  role: z.undefined().optional(),
})

/** One item of the input of a responses request. */
export const responseInputItem = z.union([
  responseInputMessage,
  responseInputReasoning,
  responseInputCall,
  responseInputCallOutput,
  responseInputToolList,
  responseInputServerCall,
  responseInputApprovalRequest,
  responseInputApproval,
  responseInputFileSearch,
  responseItemReference,
])

/** Text that the model wrote. */
export const responseOutputText = z.looseObject({
  type: z.literal('output_text'),
  text: z.string(),
  annotations: z.array(z.never()),
  logprobs: z.array(responseLogprob),
})

/** A message of the model. */
const responseOutputMessage = z.looseObject({
  type: z.literal('message'),
  id: z.string(),
  status,
  role: z.literal('assistant'),
  content: z.array(responseOutputText),
})

/** Thoughts of the model. */
export const responseReasoningText = z.looseObject({ type: z.literal('reasoning_text'), text: z.string() })

/** The thoughts of the model before its answer. */
const responseOutputReasoning = z.looseObject({
  type: z.literal('reasoning'),
  id: z.string(),
  status,
  summary: z.array(z.never()),
  content: z.array(responseReasoningText).exactOptional(),
})

/** A call by the model; `arguments` is JSON text. */
const responseOutputCall = z.looseObject({
  type: z.literal('function_call'),
  id: z.string(),
  status,
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
})

/** The tools of a server that the request names. */
const responseOutputToolList = z.looseObject({
  type: z.literal('mcp_list_tools'),
  id: z.string(),
  server_label: z.string(),
  tools: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().nullable(),
      input_schema: anyObject,
      annotations: anyObject.nullable(),
    }),
  ),
  error: z.string().nullable(),
})

/** A call of a tool that the server runs; `arguments` is JSON text. */
const responseOutputServerCall = z.looseObject({
  type: z.literal('mcp_call'),
  id: z.string(),
  status: z.enum(['in_progress', 'completed', 'incomplete', 'failed']),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string(),
  output: z.string().nullable(),
  error: z.string().nullable(),
  /** The request of consent that it follows. */
  approval_request_id: z.string().nullable(),
})

/** A call that waits for the consent of the caller. */
const responseOutputApprovalRequest = z.looseObject({
  type: z.literal('mcp_approval_request'),
  id: z.string(),
  server_label: z.string(),
  name: z.string(),
  arguments: z.string(),
})

/** A search in files that the server runs. */
const responseOutputFileSearch = z.looseObject({
  type: z.literal('file_search_call'),
  id: z.string(),
  status: z.enum(['in_progress', 'searching', 'completed', 'incomplete', 'failed']),
  queries: z.array(z.string()),
  /** Null unless the request asks to include them. */
  results: z
    .array(
      z.looseObject({
        file_id: z.string(),
        filename: z.string(),
        score: z.number(),
        text: z.string(),
        attributes: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
      }),
    )
    .nullable(),
})

/** One item of the output of a response. */
export const responseOutputItem = z.discriminatedUnion('type', [
  responseOutputMessage,
  responseOutputReasoning,
  responseOutputCall,
  responseOutputToolList,
  responseOutputServerCall,
  responseOutputApprovalRequest,
  responseOutputFileSearch,
])

/** One part of the content of a message. */
export type ResponseContentPart = z.infer<typeof responseContentPart>
/** One item of the input of a responses request. */
export type ResponseInputItem = z.infer<typeof responseInputItem>
/** One generated token with its log probability. */
export type ResponseLogprob = z.infer<typeof responseLogprob>
/** One item of the output of a response. */
export type ResponseOutputItem = z.infer<typeof responseOutputItem>
/** A message of the model. */
export type ResponseOutputMessage = z.infer<typeof responseOutputMessage>
/** The thoughts of the model before its answer. */
export type ResponseOutputReasoning = z.infer<typeof responseOutputReasoning>
/** The tools of a server. */
export type ResponseOutputToolList = z.infer<typeof responseOutputToolList>
/** A call of a tool that the server runs. */
export type ResponseOutputServerCall = z.infer<typeof responseOutputServerCall>
/** A search in files that the server runs. */
export type ResponseOutputFileSearch = z.infer<typeof responseOutputFileSearch>
/** A call by the model. */
export type ResponseOutputCall = z.infer<typeof responseOutputCall>
