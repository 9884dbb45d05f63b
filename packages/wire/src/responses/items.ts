import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

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

/** One item of the output of a response. */
export const responseOutputItem = z.discriminatedUnion('type', [
  responseOutputMessage,
  responseOutputReasoning,
  responseOutputCall,
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
/** A call by the model. */
export type ResponseOutputCall = z.infer<typeof responseOutputCall>
