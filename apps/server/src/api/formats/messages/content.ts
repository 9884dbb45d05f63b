import { SvcError } from '@svc/errors'
import type { MessagesBlock } from '@svc/wire/messages'
import type { ChatMessage } from '../../../inference/core/request.ts'
import type { Attachment } from '../../../inference/media/attachment.ts'

/** A block of text or media. */
type ContentBlock = Extract<MessagesBlock, { type: 'text' | 'image' | 'document' }>
type Source = Extract<ContentBlock, { type: 'image' }>['source']

/** Gathers the blocks of one message or of one tool result. */
export interface ContentReader {
  readonly isEmpty: boolean
  /** @param param the block's place, for refusals */
  add(block: ContentBlock, param: string): void
  /** Gives the joined texts and the media beside them. */
  content(): Pick<ChatMessage, 'content' | 'attachments' | 'media'>
}

/** Whether a block is text or a medium. */
export function isContentBlock(block: MessagesBlock): block is ContentBlock {
  return block.type === 'text' || block.type === 'image' || block.type === 'document'
}

/** Creates an empty reader. */
export function createContentReader(): ContentReader {
  const texts: string[] = []
  const attachments: Attachment[] = []
  return {
    get isEmpty() {
      return texts.length + attachments.length === 0
    },
    add(block, param) {
      const text = readText(block)
      if (text !== undefined) texts.push(text)
      else if (block.type !== 'text') attachments.push(toAttachment(block, param))
    },
    content: () => ({
      content: texts.join(''),
      media: { images: 0, audio: 0, video: 0 },
      ...(attachments.length > 0 ? { attachments } : {}),
    }),
  }
}

/** A document may be plain text. */
function readText(block: ContentBlock): string | undefined {
  if (block.type === 'text') return block.text
  if (block.type === 'image') return undefined
  if (block.source.type === 'text') return block.source.data
  return block.source.type === 'content' && typeof block.source.content === 'string' ? block.source.content : undefined
}

function toAttachment({ type, source }: Exclude<ContentBlock, { type: 'text' }>, param: string): Attachment {
  return { kind: type === 'image' ? 'image' : 'file', source: toSource(source, `${param}.source`), param }
}

function toSource(source: Source, param: string): Attachment['source'] {
  if (source.type === 'base64') return { base64: source.data, mediaType: source.media_type }
  if (source.type === 'url') return { url: source.url }
  throw unsupported(param, source.type === 'file' ? 'files are not kept here: send the data' : 'this type has no bytes')
}

/** Creates the refusal of a block. */
export function unsupported(param: string, message: string): SvcError {
  return new SvcError('invalid_request', `${param}: ${message}`, { code: 'unsupported_field', details: { param } })
}
