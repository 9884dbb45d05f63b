import { isTextType } from './data-text.ts'
import { ANY_CONTENT, Shape, TOOL_DATA } from './shape.ts'
import {
  BYTES,
  FIELD,
  FILE_ID,
  FILE_SOURCE,
  ID,
  IMAGE,
  INDEX,
  media,
  OPAQUE,
  OPTION,
  PART_DATA,
  PART_REST,
  PART_TEXT,
  TOOL_PART_TEXT,
  TYPE,
  WORD,
} from './text-shapes.ts'

// Messages and their parts. All formats share one set of names: a part of one format is text in the others too.

/** The part of a message of the AI SDK that holds the result of a tool. */
const TOOL_RESULT = new Shape({ others: PART_REST, numbers: 'text' })
const TOOL_RESULT_CHOICE = {
  member: 'type',
  mustAgree: true,
  findShape: (type: string) => (type === 'tool-result' ? TOOL_RESULT : undefined),
}

const CONTENT_ITEMS = new Shape({
  strings: 'part',
  others: PART_REST,
  numbers: 'text',
  choices: [TOOL_RESULT_CHOICE],
})
export const CONTENT = new Shape({
  strings: 'part',
  numbers: 'text',
  isMessage: true,
  items: CONTENT_ITEMS,
  others: PART_REST,
})
const TOOL_CONTENT_ITEMS = new Shape({
  strings: 'json-part',
  others: PART_REST,
  numbers: 'text',
  choices: [TOOL_RESULT_CHOICE],
})

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
  toolCallId: ID,
  approvalId: ID,
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

/** Data of a tool's result, or parts. */
const PARTS_OUTPUT = new Shape({ others: PART_REST, numbers: 'text' }).name({
  type: WORD,
  value: new Shape({ strings: 'unknown', others: PART_REST, items: CONTENT_ITEMS, numbers: 'text' }),
})
TOOL_RESULT.name({
  ...part(PART_TEXT),
  toolName: FIELD,
  output: new Shape({
    strings: 'json',
    others: TOOL_DATA,
    numbers: 'text',
    choices: [
      { member: 'type', mustAgree: true, findShape: (type) => (type === 'content' ? PARTS_OUTPUT : undefined) },
    ],
  }).name({ type: WORD }),
})

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
export const MESSAGES = new Shape({
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
export const ITEMS = new Shape({
  others: PART_REST,
  numbers: 'text',
  choices: [{ member: 'type', findShape: (type) => CLOSER_ITEMS.get(type) }],
}).name(ITEM_MEMBERS)
