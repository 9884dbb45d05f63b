import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'
import { hasOwnShape } from './known-parts.ts'

/** The roles a chat message may have; `developer` is treated as `system`, `function` is the legacy `tool`. */
export const CHAT_ROLES = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const

/** Address of media: an `http(s)` address or a `data:` URI. */
const mediaUrl = z.looseObject({ url: z.string() })

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() })
const imagePart = z.looseObject({ type: z.enum(['image_url', 'image']), image_url: mediaUrl })
const videoPart = z.looseObject({ type: z.enum(['video_url', 'video']), video_url: mediaUrl })
const audioUrlPart = z.looseObject({ type: z.enum(['audio_url', 'audio']), audio_url: mediaUrl })
const inputAudioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.looseObject({ data: z.string(), format: z.string().nullish() }),
})
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.looseObject({
    file_data: z.string().nullish(),
    filename: z.string().nullish(),
    file_id: z.string().nullish(),
  }),
})
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() })

const knownPart = z.discriminatedUnion('type', [
  textPart,
  imagePart,
  videoPart,
  audioUrlPart,
  inputAudioPart,
  filePart,
  refusalPart,
])

/** A part of a type this server does not know; a proxy passes it on, a local model refuses it. */
const unknownPart = z.looseObject({
  // Aborting: the error for a known part of a wrong shape must name its field, not its type.
  type: z.string().refine((type) => !hasOwnShape(type), { abort: true }),
})

const foreignTextPart = z
  .looseObject({ type: z.enum(['input_text', 'output_text']), text: z.string() })
  .transform((part) => ({ ...part, type: 'text' as const }))
const foreignImagePart = z
  .looseObject({ type: z.literal('input_image'), image_url: z.union([z.string(), mediaUrl]) })
  .transform(({ image_url: url, ...part }) => ({
    ...part,
    type: 'image_url' as const,
    image_url: typeof url === 'string' ? { url } : url,
  }))

/** A part as the responses format names it, read as the part of this format. */
const foreignPart = z.union([foreignTextPart, foreignImagePart])

/** One part of a message's content, of a type this server knows. */
export type ChatContentPart = z.infer<typeof knownPart>

/** One part of a message's content, of any type. */
export const chatContentPart = z.union([knownPart, foreignPart, unknownPart])

/** A tool call an assistant message repeats from an earlier reply; `arguments` is JSON text. */
export const chatRequestToolCall = z.looseObject({
  index: z.int().min(0).nullish(),
  id: z.string().nullish(),
  type: z.literal('function').nullish(),
  function: z.looseObject({ name: z.string(), arguments: z.string().nullish() }),
})

/** One message of a chat request: a single shape for all roles, as clients mix the fields freely. */
export const chatRequestMessage = z.looseObject({
  role: z.enum(CHAT_ROLES),
  content: z.union([z.string(), endAtFirstFault(z.array(chatContentPart))]).nullish(),
  name: z.string().nullish(),
  tool_calls: endAtFirstFault(z.array(chatRequestToolCall)).nullish(),
  tool_call_id: z.string().nullish(),
  function_call: z.looseObject({ name: z.string(), arguments: z.string().nullish() }).nullish(),
  refusal: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_content: z.string().nullish(),
})

/** One message of a chat request. */
export type ChatRequestMessage = z.infer<typeof chatRequestMessage>
/** A tool call inside a request message. */
export type ChatRequestToolCall = z.infer<typeof chatRequestToolCall>
