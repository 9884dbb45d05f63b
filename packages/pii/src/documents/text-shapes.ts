import { ANY_CONTENT, Shape } from './shape.ts'

/** An option: text is scanned, numbers are not private. */
export const TEXT = new Shape()
/** A field of a message. */
export const FIELD = new Shape({ numbers: 'text' })
export const SKIP = new Shape({ strings: 'skip', others: ANY_CONTENT, items: ANY_CONTENT })
/** A name or id: it holds no sentences, but a caller may build it from an address or a key. */
export const ID = new Shape({ strings: 'id', others: ANY_CONTENT, items: ANY_CONTENT })
/** Data that only its provider can read. */
export const OPAQUE = new Shape({ strings: 'opaque', numbers: 'text', others: ANY_CONTENT, items: ANY_CONTENT })
export const WORD = new Shape({ strings: 'word', numbers: 'text', others: ANY_CONTENT })
export const TYPE = new Shape({ strings: 'type', numbers: 'text', others: ANY_CONTENT })
/** The index of a part or a call. */
export const INDEX = new Shape({ others: ANY_CONTENT, items: ANY_CONTENT })
export const PART_TEXT = new Shape({ strings: 'part', numbers: 'text', others: ANY_CONTENT })
export const TOOL_PART_TEXT = new Shape({ strings: 'json-part', numbers: 'text', others: ANY_CONTENT })
export const OPTION = new Shape({ strings: 'option', hasPublicKeys: true, allowsTwins: true }).name({ type: WORD })
export const HISTORY = new Shape({
  strings: 'id',
  history: 'previous_response_id',
  others: ANY_CONTENT,
  items: ANY_CONTENT,
})
export const CONVERSATION = new Shape({
  strings: 'id',
  history: 'conversation',
  others: ANY_CONTENT,
  items: ANY_CONTENT,
}).name({ id: ID })
export const TOKEN_CONTEXT = new Shape({ history: 'context' })

/** A text, texts, or token ids of one or several texts. */
export const PROMPT = new Shape({ numbers: 'tokens', others: ANY_CONTENT })

/** The bytes of media or an address; other values are neither. */
export const BYTES = { strings: 'media', numbers: 'text', others: ANY_CONTENT } as const
const MEDIA_DATA = new Shape(BYTES)
/** Bytes inside a part, whose type may name their kind. */
export const PART_DATA = new Shape({ ...BYTES, strings: 'bytes' })
/** Unknown members of a part. */
export const PART_REST = new Shape({ strings: 'unknown', numbers: 'text' })
export const FILE_SOURCE = new Shape({ ...BYTES, media: 'file' })

export const media = (kind: 'image' | 'audio' | 'video' | 'file') =>
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

export const IMAGE = media('image')
export const FILE_ID = new Shape({ strings: 'id', media: 'file', others: ANY_CONTENT, items: ANY_CONTENT })
