import { SvcError } from '@svc/errors'
import type { MessagesBlock } from '@svc/wire/messages'
import { type ChatContentPart, type ChatRequestMessage, isKnownContentPart } from '@svc/wire/openai'

type Source = Extract<MessagesBlock, { type: 'image' }>['source']
/** A block that a message or a tool's result may hold. */
export type ContentBlock = Extract<MessagesBlock, { type: 'text' | 'image' | 'document' }>

const DATA_URL = /^data:([^;,]+)(?:;[^,]*)?;base64,/s

/**
 * Converts the content of a chat message to blocks. Leaves out empty texts, because upstreams refuse them.
 *
 * @param param path of the content, for refusals @throws {SvcError} `invalid_request`, code `unsupported_field`, for
 *   parts that the messages format cannot express
 */
export function toBlocks(content: ChatRequestMessage['content'], param: string): ContentBlock[] {
  if (content == null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return content.flatMap((part, index) => {
    const at = `${param}[${index}]`
    if (!isKnownContentPart(part)) throw unsupported(at, part.type)
    return toBlock(part, at)
  })
}

function toBlock(part: ChatContentPart, param: string): ContentBlock[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [{ type: 'text', text: part.text }]
    case 'refusal':
      return part.refusal === '' ? [] : [{ type: 'text', text: part.refusal }]
    case 'image_url':
    case 'image':
      return [{ type: 'image', source: toSource(part.image_url.url, `${param}.image_url.url`) }]
    case 'file': {
      const { file_data: data, filename } = part.file
      if (data == null) throw unsupported(`${param}.file`, 'file_id')
      const source = toSource(data, `${param}.file.file_data`)
      return [{ type: 'document', source, ...(filename == null ? {} : { title: filename }) }]
    }
    case 'video_url':
    case 'video':
    case 'audio_url':
    case 'audio':
    case 'input_audio':
      throw unsupported(param, part.type)
  }
}

function toSource(url: string, param: string): Source {
  const data = DATA_URL.exec(url)
  if (data !== null) return { type: 'base64', media_type: data[1] ?? '', data: url.slice(data[0].length) }
  if (/^https?:\/\//i.test(url)) return { type: 'url', url }
  throw new SvcError('invalid_request', `${param}: expected an http address or a data URL of base64`, {
    code: 'invalid_url',
    details: { param },
  })
}

function unsupported(param: string, type: string): SvcError {
  // The client chooses the text of the type.
  const word = /^\w{1,40}$/.test(type) ? ` ${type}` : ''
  return new SvcError('invalid_request', `${param}: the upstream of this model takes no${word} parts`, {
    code: 'unsupported_field',
    details: { param },
  })
}
