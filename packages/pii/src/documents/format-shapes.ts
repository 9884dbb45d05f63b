import { CONTENT, ITEMS, MESSAGES } from './message-shapes.ts'
import { ANY_CONTENT, ANY_OPTION, Shape, TOOL_DATA } from './shape.ts'
import {
  CONVERSATION,
  FIELD,
  HISTORY,
  ID,
  IMAGE,
  media,
  OPTION,
  PROMPT,
  SKIP,
  TEXT,
  TOKEN_CONTEXT,
  WORD,
} from './text-shapes.ts'
import { NAMED_SERVERS, RESPONSE_FORMAT, SCHEMA, TOOL_CHOICE, TOOLS, TOOLS_AND_SERVERS } from './tool-shapes.ts'

/** The bodies of requests to models with known texts: of routes, and of intercepted requests. */
export type RequestFormat =
  | 'chat-completions'
  | 'completions'
  | 'embeddings'
  | 'edits'
  | 'messages'
  | 'responses'
  | 'ollama-chat'
  | 'ollama-generate'
  | 'ollama-embed'
  | 'moderations'
  | 'rerank'
  | 'score'
  | 'tokenize'
  | 'media'

/** A body with known texts: of a request to a model, any JSON, or a line of a JSON log. */
export type DocumentFormat = RequestFormat | 'json' | 'log-line'

/** Members that several formats share. */
const COMMON = {
  model: SKIP,
  stream_options: OPTION,
  stop: TEXT,
  user: FIELD,
  metadata: ANY_CONTENT,
  reasoning_effort: OPTION,
  response_format: RESPONSE_FORMAT,
  service_tier: OPTION,
}
const GENERATION = {
  ...COMMON,
  tools: TOOLS,
  tool_choice: TOOL_CHOICE,
  documents: ANY_CONTENT,
}
const OLLAMA = { model: SKIP, format: SCHEMA, options: OPTION, keep_alive: OPTION, think: OPTION }

/** The shape of each format's body. */
export const FORMAT_SHAPES: Readonly<Record<DocumentFormat, Shape>> = {
  'chat-completions': new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...GENERATION,
    messages: MESSAGES,
    functions: TOOLS,
    function_call: TOOL_CHOICE,
    prediction: new Shape({ others: ANY_CONTENT }).name({ type: WORD, content: CONTENT }),
    modalities: OPTION,
    audio: OPTION,
    web_search_options: OPTION,
    verbosity: OPTION,
  }),
  completions: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...COMMON,
    prompt: PROMPT,
    suffix: FIELD,
  }),
  embeddings: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...COMMON,
    input: PROMPT,
    messages: MESSAGES,
    encoding_format: OPTION,
    pooling: OPTION,
  }),
  edits: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({ ...COMMON, input: PROMPT, instruction: FIELD }),
  messages: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...GENERATION,
    mcp_servers: NAMED_SERVERS,
    messages: MESSAGES,
    system: CONTENT,
    stop_sequences: TEXT,
    thinking: OPTION,
    container: ID,
    output_config: new Shape({ others: OPTION, hasPublicKeys: true }).name({ format: RESPONSE_FORMAT }),
  }),
  responses: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...GENERATION,
    tools: TOOLS_AND_SERVERS,
    input: ITEMS,
    instructions: FIELD,
    previous_response_id: HISTORY,
    conversation: CONVERSATION,
    prompt: new Shape({ others: ANY_CONTENT }).name({
      id: ID,
      version: SKIP,
      variables: new Shape({ others: CONTENT }),
    }),
    text: new Shape({ others: OPTION, hasPublicKeys: true }).name({ format: RESPONSE_FORMAT }),
    text_format: RESPONSE_FORMAT,
    reasoning: OPTION,
    truncation: OPTION,
    include: TEXT,
  }),
  'ollama-chat': new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...OLLAMA,
    messages: MESSAGES,
    system: FIELD,
    tools: TOOLS,
  }),
  'ollama-generate': new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...OLLAMA,
    prompt: FIELD,
    suffix: FIELD,
    system: FIELD,
    template: FIELD,
    images: media('image'),
    context: TOKEN_CONTEXT,
  }),
  'ollama-embed': new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...OLLAMA,
    input: PROMPT,
    prompt: PROMPT,
  }),
  moderations: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({ ...COMMON, input: CONTENT }),
  rerank: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...COMMON,
    query: FIELD,
    documents: ANY_CONTENT,
  }),
  score: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...COMMON,
    prompt: FIELD,
    candidates: ANY_CONTENT,
  }),
  tokenize: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({ ...COMMON, content: FIELD }),
  // Requests for images, sound and video, in JSON or as the fields of a form.
  media: new Shape({ others: ANY_OPTION, hasPublicKeys: true }).name({
    ...COMMON,
    model_id: SKIP,
    prompt: FIELD,
    negative_prompt: FIELD,
    input: FIELD,
    text: FIELD,
    instructions: FIELD,
    caption: FIELD,
    lyrics: FIELD,
    voice: ID,
    image: IMAGE,
    mask: IMAGE,
    file: IMAGE,
    files: IMAGE,
    ref_images: IMAGE,
    start_image: IMAGE,
    end_image: IMAGE,
    input_reference: IMAGE,
    audio: media('audio'),
    size: OPTION,
    speed: OPTION,
    language: OPTION,
  }),
  json: TOOL_DATA,
  // The numbers of a log itself have the form of numbers of people: a time in milliseconds may pass for a card.
  'log-line': new Shape({ strings: 'json', numbers: 'text', allowsTwins: true }).name({
    time: OPTION,
    level: OPTION,
    pid: OPTION,
    responseTime: OPTION,
  }),
}
