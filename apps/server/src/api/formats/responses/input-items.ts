import { SvcError } from '@svc/errors'
import type { ResponseContentPart, ResponseInputItem } from '@svc/wire/responses'
import type { ChatMessage, ToolCall } from '../../../inference/core/request.ts'
import type { Attachment } from '../../../inference/media/attachment.ts'
import { unsupported } from './errors.ts'
import { readServedItems } from './served-items.ts'

type Item<T extends string> = Extract<ResponseInputItem, { readonly type: T }>
type InputMessage = Extract<ResponseInputItem, { readonly content: string | ResponseContentPart[] }>

/** An assistant's turn while its items are gathered. */
interface Turn {
  content: string
  reasoning: string
  isParts: boolean
  readonly attachments: Attachment[]
  readonly calls: ToolCall[]
  /** Results of calls that this server has run. */
  readonly results: ChatMessage[]
}

/**
 * Converts items to messages: neighbouring items of the assistant become one message.
 *
 * @throws {SvcError} `invalid_request` for items that no local model takes
 */
export function itemsToMessages(items: readonly ResponseInputItem[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  let turn: Turn | undefined
  const begin = (): Turn => {
    turn ??= { content: '', reasoning: '', isParts: false, attachments: [], calls: [], results: [] }
    return turn
  }
  const end = (): void => {
    if (turn !== undefined) messages.push(toAssistant(turn), ...turn.results)
    turn = undefined
  }
  const served = readServedItems(items)
  for (const [index, item] of items.entries()) {
    const step = served.read(item)
    // What the assistant says after a result belongs to its next turn.
    if (turn !== undefined && turn.results.length > 0 && step === undefined) end()
    if (step !== undefined) {
      if (step.call !== undefined) begin().calls.push(step.call)
      if (step.result !== undefined) begin().results.push(step.result)
      continue
    }
    if (addToTurn(item, index, begin)) continue
    end()
    messages.push(toMessage(item, index))
  }
  end()
  return messages
}

/** Adds an item of the assistant's turn. @returns whether the item belongs to the turn */
function addToTurn(item: ResponseInputItem, index: number, begin: () => Turn): boolean {
  if (isReasoning(item)) {
    begin().reasoning += readThoughts(item)
    return true
  }
  if (isCall(item)) {
    begin().calls.push({ id: item.call_id, name: item.name, arguments: item.arguments })
    return true
  }
  if (!isMessage(item) || item.role !== 'assistant') return false
  const turn = begin()
  const { content, attachments = [] } = toContent(item.content, `input[${index}].content`)
  turn.content += content
  turn.attachments.push(...attachments)
  turn.isParts ||= Array.isArray(item.content)
  return true
}

function toMessage(item: ResponseInputItem, index: number): ChatMessage {
  if (isCallOutput(item)) {
    return { role: 'tool', toolCallId: item.call_id, ...toContent(item.output, `input[${index}].output`) }
  }
  if (!isMessage(item)) {
    throw new SvcError('internal', 'an item reference was not followed', { code: 'item_reference' })
  }
  const role = item.role === 'user' ? 'user' : 'system'
  return { role, ...toContent(item.content, `input[${index}].content`) }
}

function toAssistant({ content, attachments, reasoning, isParts, calls }: Turn): ChatMessage {
  return {
    role: 'assistant',
    content,
    reasoning: reasoning === '' ? undefined : reasoning,
    toolCalls: calls.length > 0 ? calls : undefined,
    media: isParts ? { images: 0, audio: 0, video: 0 } : undefined,
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

function isMessage(item: ResponseInputItem): item is InputMessage {
  return 'role' in item && item.role !== undefined
}

function isReasoning(item: ResponseInputItem): item is Item<'reasoning'> {
  return item.type === 'reasoning'
}

function isCall(item: ResponseInputItem): item is Item<'function_call'> {
  return item.type === 'function_call'
}

function isCallOutput(item: ResponseInputItem): item is Item<'function_call_output'> {
  return item.type === 'function_call_output'
}

/** Gives the reasoning, or its summary. */
function readThoughts({ content, summary }: Item<'reasoning'>): string {
  const parts = content != null && content.length > 0 ? content : (summary ?? [])
  return parts.map(({ text }) => text).join('\n')
}

type MessageContent = Pick<ChatMessage, 'content' | 'attachments' | 'media'>

/** Converts content: joined text parts, and the media beside them. */
function toContent(content: InputMessage['content'], path: string): MessageContent {
  if (typeof content === 'string') return { content }
  const texts: string[] = []
  const attachments: Attachment[] = []
  for (const [place, part] of content.entries()) {
    if (part.type === 'refusal') texts.push(part.refusal)
    else if (isText(part)) texts.push(part.text)
    else attachments.push(toAttachment(part, `${path}[${place}]`))
  }
  return {
    content: texts.join(''),
    media: { images: 0, audio: 0, video: 0 },
    ...(attachments.length > 0 ? { attachments } : {}),
  }
}

type TextPart = Extract<ResponseContentPart, { type: 'input_text' | 'text' | 'output_text' }>

/** A part that is not text. */
type MediaPart = Exclude<ResponseContentPart, TextPart | { type: 'refusal' }>

function isText(part: ResponseContentPart): part is TextPart {
  const { type } = part
  return type === 'input_text' || type === 'text' || type === 'output_text'
}

function toAttachment(part: MediaPart, param: string): Attachment {
  switch (part.type) {
    case 'input_image':
      if (part.image_url != null) return { kind: 'image', source: { url: part.image_url }, param }
      throw unsupported(param, part.file_id == null ? 'image_url is needed' : 'files are not kept here: send image_url')
    case 'input_video':
      return { kind: 'video', source: { url: part.video_url }, param }
    case 'input_audio':
      // `format` is a word like `wav`; the data show the same.
      return { kind: 'audio', source: { base64: part.input_audio.data }, param }
    case 'input_file': {
      const { file_data: data, file_url: url, file_id: id } = part
      if (data != null)
        return { kind: 'file', source: data.startsWith('data:') ? { url: data } : { base64: data }, param }
      if (url != null) return { kind: 'file', source: { url }, param }
      throw unsupported(param, id == null ? 'file_data is needed' : 'files are not kept here: send file_data')
    }
  }
}
