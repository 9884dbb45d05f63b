import { isTextType } from './data-text.ts'
import { ANY_CONTENT, ANY_OPTION, Shape, TOOL_DATA } from './shape.ts'

/** The bodies with known texts: of routes, and of intercepted requests. */
export type DocumentFormat =
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

/** An option: text is scanned, numbers are not private. */
const TEXT = new Shape()
/** A field of a message. */
const FIELD = new Shape({ numbers: 'text' })
const SKIP = new Shape({ strings: 'skip', others: ANY_CONTENT, items: ANY_CONTENT })
/** A name or id: it holds no sentences, but a caller may build it from an address or a key. */
const ID = new Shape({ strings: 'id', others: ANY_CONTENT, items: ANY_CONTENT })
/** Data that only its provider can read. */
const OPAQUE = new Shape({ strings: 'opaque', numbers: 'text', others: ANY_CONTENT, items: ANY_CONTENT })
const WORD = new Shape({ strings: 'word', numbers: 'text', others: ANY_CONTENT })
const TYPE = new Shape({ strings: 'type', numbers: 'text', others: ANY_CONTENT })
/** The index of a part or a call. */
const INDEX = new Shape({ others: ANY_CONTENT, items: ANY_CONTENT })
const PART_TEXT = new Shape({ strings: 'part', numbers: 'text', others: ANY_CONTENT })
const TOOL_PART_TEXT = new Shape({ strings: 'json-part', numbers: 'text', others: ANY_CONTENT })
const OPTION = new Shape({ strings: 'option', hasPublicKeys: true, allowsTwins: true }).name({ type: WORD })
const HISTORY = new Shape({ strings: 'id', history: 'previous_response_id', others: ANY_CONTENT, items: ANY_CONTENT })
const CONVERSATION = new Shape({
  strings: 'id',
  history: 'conversation',
  others: ANY_CONTENT,
  items: ANY_CONTENT,
}).name({ id: ID })
const TOKEN_CONTEXT = new Shape({ history: 'context' })

/** A text, texts, or token ids of one or several texts. */
const PROMPT = new Shape({ numbers: 'tokens', others: ANY_CONTENT })

/** The bytes of media or an address; other values are neither. */
const BYTES = { strings: 'media', numbers: 'text', others: ANY_CONTENT } as const
const MEDIA_DATA = new Shape(BYTES)
/** Bytes inside a part, whose type may name their kind. */
const PART_DATA = new Shape({ ...BYTES, strings: 'bytes' })
/** Unknown members of a part. */
const PART_REST = new Shape({ strings: 'unknown', numbers: 'text' })
const FILE_SOURCE = new Shape({ ...BYTES, media: 'file' })

const media = (kind: 'image' | 'audio' | 'video' | 'file') =>
  new Shape({ ...BYTES, media: kind }).name({
    url: MEDIA_DATA,
    data: MEDIA_DATA,
    file_data: MEDIA_DATA,
    file_url: MEDIA_DATA,
    file_id: ID,
    id: ID,
    format: WORD,
    detail: WORD,
  })

const IMAGE = media('image')
const FILE_ID = new Shape({ strings: 'id', media: 'file', others: ANY_CONTENT, items: ANY_CONTENT })

// JSON Schema, which describes tools and response formats.

const SCHEMA = new Shape({ strings: 'option', hasPublicKeys: true, allowsTwins: true })
const SCHEMA_NAMES = new Shape({ others: SCHEMA })
SCHEMA.name({
  type: WORD,
  properties: SCHEMA_NAMES,
  patternProperties: SCHEMA_NAMES,
  $defs: SCHEMA_NAMES,
  definitions: SCHEMA_NAMES,
  default: TEXT,
  const: TEXT,
  enum: TEXT,
  examples: TEXT,
  example: TEXT,
})

// Messages and their parts. All formats share one set of names: a part of one format is text in the others too.

const CONTENT_ITEMS = new Shape({ strings: 'part', others: PART_REST, numbers: 'text' })
const CONTENT = new Shape({
  strings: 'part',
  numbers: 'text',
  isMessage: true,
  items: CONTENT_ITEMS,
  others: PART_REST,
})
const TOOL_CONTENT_ITEMS = new Shape({ strings: 'json-part', others: PART_REST, numbers: 'text' })

/** The result of a tool, as parts. */
export const TOOL_CONTENT = new Shape({
  strings: 'json-part',
  numbers: 'text',
  isMessage: true,
  items: TOOL_CONTENT_ITEMS,
  others: PART_REST,
})

/** The result of a tool: text, parts, or any other value. */
const TOOL_OUTPUT = new Shape({ strings: 'json', isEncoded: true, numbers: 'text' })

const TEXT_SOURCE = new Shape({ others: ANY_CONTENT }).name({ type: WORD, media_type: WORD, data: PART_TEXT })
const BASE64_TEXT = new Shape({ ...BYTES, strings: 'base64', media: 'file' })
const BASE64_TEXT_SOURCE = new Shape({ others: ANY_CONTENT }).name({ type: WORD, media_type: WORD, data: BASE64_TEXT })

const SOURCE = new Shape({
  others: ANY_CONTENT,
  choices: [
    { member: 'type', mustAgree: true, findShape: (type) => (type === 'text' ? TEXT_SOURCE : undefined) },
    { member: 'media_type', findShape: (type) => (isTextType(type) ? BASE64_TEXT_SOURCE : undefined) },
  ],
}).name({
  type: WORD,
  media_type: WORD,
  data: FILE_SOURCE,
  url: FILE_SOURCE,
  file_id: FILE_ID,
  content: CONTENT,
})

const CALL = new Shape({ others: ANY_CONTENT }).name({
  type: WORD,
  id: ID,
  index: INDEX,
  name: FIELD,
  arguments: TOOL_DATA,
  input: TOOL_DATA,
})
const TOOL_CALLS = new Shape({ others: ANY_CONTENT }).name({
  type: WORD,
  id: ID,
  index: INDEX,
  function: CALL,
  custom: CALL,
})

const part = (text: Shape) => ({
  type: TYPE,
  text,
  refusal: text,
  thinking: text,
  reasoning: text,
  id: ID,
  tool_use_id: ID,
  name: FIELD,
  input: TOOL_DATA,
  content: TOOL_OUTPUT,
  stdout: TOOL_DATA,
  stderr: TOOL_DATA,
  title: FIELD,
  context: FIELD,
  is_error: FIELD,
  citations: ANY_CONTENT,
  cache_control: OPTION,
  signature: OPAQUE,
  encrypted_content: OPAQUE,
  data: PART_DATA,
  source: SOURCE,
  image_url: IMAGE,
  image: IMAGE,
  video_url: media('video'),
  video: media('video'),
  audio_url: media('audio'),
  audio: media('audio'),
  input_audio: media('audio'),
  file: media('file').name({ filename: FIELD }),
  file_data: media('file'),
  file_url: media('file'),
  file_id: FILE_ID,
  filename: FIELD,
  detail: WORD,
})

CONTENT_ITEMS.name(part(PART_TEXT))
CONTENT.name(part(PART_TEXT))
TOOL_CONTENT_ITEMS.name(part(TOOL_PART_TEXT))
TOOL_CONTENT.name(part(TOOL_PART_TEXT))

const MESSAGE_MEMBERS = {
  role: WORD,
  content: CONTENT,
  name: FIELD,
  tool_calls: TOOL_CALLS,
  tool_call_id: ID,
  tool_name: FIELD,
  function_call: CALL,
  refusal: FIELD,
  reasoning: FIELD,
  reasoning_content: FIELD,
  reasoning_details: CONTENT,
  thinking: FIELD,
  images: media('image'),
  audio: media('audio'),
  cache_control: OPTION,
}
const TOOL_MESSAGE = new Shape({ others: ANY_CONTENT }).name({ ...MESSAGE_MEMBERS, content: TOOL_OUTPUT })
const MESSAGES = new Shape({
  others: ANY_CONTENT,
  numbers: 'text',
  choices: [
    { member: 'role', findShape: (role) => (role === 'tool' || role === 'function' ? TOOL_MESSAGE : undefined) },
  ],
}).name(MESSAGE_MEMBERS)

const ITEM_REFERENCE = new Shape({ history: 'item_reference', others: ANY_CONTENT }).name({ type: WORD, id: ID })
const ITEM_MEMBERS = {
  ...part(FIELD),
  role: WORD,
  status: WORD,
  content: CONTENT,
  summary: CONTENT,
  call_id: ID,
  arguments: TOOL_DATA,
  output: TOOL_OUTPUT,
  outputs: CONTENT,
  phase: WORD,
}
const PICTURE = new Shape({ others: ANY_CONTENT, numbers: 'text' }).name({ ...ITEM_MEMBERS, result: IMAGE })
const CLOSER_ITEMS: ReadonlyMap<string, Shape> = new Map([
  ['item_reference', ITEM_REFERENCE],
  ['image_generation_call', PICTURE],
])
const ITEMS = new Shape({
  others: PART_REST,
  numbers: 'text',
  choices: [{ member: 'type', findShape: (type) => CLOSER_ITEMS.get(type) }],
}).name(ITEM_MEMBERS)

// Tools and options.

const TOOL_DEFINITION = { type: WORD, name: TEXT, description: TEXT, parameters: SCHEMA, input_schema: SCHEMA }
const TOOL_MEMBERS = {
  ...TOOL_DEFINITION,
  function: new Shape({ others: OPTION, hasPublicKeys: true }).name(TOOL_DEFINITION),
  custom: OPTION,
  cache_control: OPTION,
}
const TOOLS = new Shape({ others: OPTION, hasPublicKeys: true }).name(TOOL_MEMBERS)

/** What signs in at a server that the request names: no model reads it, and a mask would end the sign-in. */
const CREDENTIAL = new Shape({ strings: 'skip', others: ANY_CONTENT, items: ANY_CONTENT })
const CREDENTIAL_HEADERS = new Shape({ others: CREDENTIAL, items: ANY_CONTENT })
const SERVER_TOOL = new Shape({ others: OPTION, hasPublicKeys: true }).name({
  ...TOOL_DEFINITION,
  authorization: CREDENTIAL,
  headers: CREDENTIAL_HEADERS,
})
/** Tools, of which some are those of a server that the entry names. */
const TOOLS_AND_SERVERS = new Shape({
  others: OPTION,
  hasPublicKeys: true,
  choices: [{ member: 'type', mustAgree: true, findShape: (type) => (type === 'mcp' ? SERVER_TOOL : undefined) }],
}).name(TOOL_MEMBERS)
const NAMED_SERVERS = new Shape({ others: OPTION, hasPublicKeys: true }).name({
  type: WORD,
  name: TEXT,
  authorization_token: CREDENTIAL,
})

/** An object, a word, or the object as JSON text. */
const TOOL_CHOICE = new Shape({ strings: 'json', others: OPTION, hasPublicKeys: true }).name({ type: WORD })
const JSON_SCHEMA = new Shape({ others: OPTION, hasPublicKeys: true }).name({
  type: WORD,
  name: TEXT,
  description: TEXT,
  schema: SCHEMA,
})
const RESPONSE_FORMAT = new Shape({ strings: 'option', others: OPTION, hasPublicKeys: true }).name({
  type: WORD,
  name: TEXT,
  description: TEXT,
  schema: SCHEMA,
  json_schema: JSON_SCHEMA,
})

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
}
