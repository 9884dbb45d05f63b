/** The types of content parts that this server knows. */
const KNOWN_PART_TYPES = [
  'text',
  'image_url',
  'image',
  'video_url',
  'video',
  'audio_url',
  'audio',
  'input_audio',
  'file',
  'refusal',
] as const

type KnownPartType = (typeof KNOWN_PART_TYPES)[number]

const KNOWN: ReadonlySet<string> = new Set(KNOWN_PART_TYPES)

/** Names of parts in the responses format. Chats may hold them too; they are read as the parts of the chat format. */
const FOREIGN_PART_TYPES = ['input_text', 'output_text', 'input_image'] as const

const FOREIGN: ReadonlySet<string> = new Set(FOREIGN_PART_TYPES)

/** Whether parts of a type have a shape of their own. */
export const hasOwnShape = (type: string): boolean => KNOWN.has(type) || FOREIGN.has(type)

const isKnownPartType = (type: string): type is KnownPartType => KNOWN.has(type)

/** Whether a part is of a type this server knows, so that switching on `type` sees its fields. */
export function isKnownContentPart<Part extends { readonly type: string }>(
  part: Part,
): part is Extract<Part, { readonly type: KnownPartType }> {
  return isKnownPartType(part.type)
}
