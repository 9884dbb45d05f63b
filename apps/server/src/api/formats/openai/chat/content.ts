import { SvcError } from '@svc/errors'
import { type ChatContentPart, type ChatRequestMessage, isKnownContentPart } from '@svc/wire/openai'
import type { ChatMessage } from '../../../../inference/core/request.ts'
import type { Attachment } from '../../../../inference/media/attachment.ts'

type MessageContent = Pick<ChatMessage, 'content' | 'attachments' | 'media'>

/**
 * Converts the content of a message: joined text parts, and the media beside them.
 *
 * @param index the message's place, for refusals
 */
export function toContent(content: ChatRequestMessage['content'], index: number): MessageContent {
  if (content == null) return { content: '' }
  if (typeof content === 'string') return { content }
  const texts: string[] = []
  const attachments: Attachment[] = []
  for (const [place, part] of content.entries()) {
    const param = `messages[${index}].content[${place}]`
    if (!isKnownContentPart(part)) throw unsupported(param, `parts of the type "${part.type}" are not known`)
    if (part.type === 'text') texts.push(part.text)
    else if (part.type === 'refusal') texts.push(part.refusal)
    else attachments.push(toAttachment(part, param))
  }
  return {
    content: texts.join(''),
    media: { images: 0, audio: 0, video: 0 },
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

/** A part that is not text. */
type MediaPart = Exclude<ChatContentPart, { type: 'text' | 'refusal' }>

function toAttachment(part: MediaPart, param: string): Attachment {
  switch (part.type) {
    case 'image_url':
    case 'image':
      return { kind: 'image', source: { url: part.image_url.url }, param }
    case 'video_url':
    case 'video':
      return { kind: 'video', source: { url: part.video_url.url }, param }
    case 'audio_url':
    case 'audio':
      return { kind: 'audio', source: { url: part.audio_url.url }, param }
    case 'input_audio':
      // `format` is a word like `wav`; the data show the same.
      return { kind: 'audio', source: { base64: part.input_audio.data }, param }
    case 'file': {
      const { file_data: data, file_id: id } = part.file
      if (data != null) return { kind: 'file', source: { base64: data }, param }
      throw unsupported(param, id == null ? 'file_data is needed' : 'files are not kept here: send file_data')
    }
  }
}

function unsupported(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, { code: 'unsupported_field', details: { param } })
}
