import type { ChatMessage } from '../inference/core/request.ts'
import type { Attachment } from '../inference/media/attachment.ts'
import type { JobMedia, JobStep } from './job.ts'

/** A part of a message, as the compatible format writes it. */
type RunPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image_url'; readonly image_url: { readonly url: string } }
  | { readonly type: 'video_url'; readonly video_url: { readonly url: string } }
  | { readonly type: 'audio_url'; readonly audio_url: { readonly url: string } }
  | { readonly type: 'input_audio'; readonly input_audio: { readonly data: string } }
  | { readonly type: 'file'; readonly file: { readonly file_data: string } }

interface RunToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

/** A message of a run, as the compatible format writes it: the PII filter scans it in this form. */
export type RunMessage =
  | { readonly role: 'system' | 'assistant'; readonly content: string }
  | { readonly role: 'user'; readonly content: string | readonly RunPart[]; readonly name?: string | undefined }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls: readonly RunToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly tool_call_id: string }

/** Writes the message of the user: the prompt, and its media. */
export function toUserMessage(prompt: string, media: Omit<JobMedia, 'sources'>): RunMessage {
  const parts: RunPart[] = [
    ...media.images.map((text) => ({ type: 'image_url', image_url: { url: toUrl(text) } }) as const),
    ...media.videos.map((text) => ({ type: 'video_url', video_url: { url: toUrl(text) } }) as const),
    ...media.audios.map((text) =>
      isUrl(text)
        ? ({ type: 'audio_url', audio_url: { url: text } } as const)
        : ({ type: 'input_audio', input_audio: { data: text } } as const),
    ),
    ...media.files.map((text) => ({ type: 'file', file: { file_data: text } }) as const),
  ]
  return { role: 'user', content: parts.length === 0 ? prompt : [{ type: 'text', text: prompt }, ...parts] }
}

const isUrl = (text: string): boolean => /^(https?|data):/i.test(text)

const toUrl = (base64: string): string => (isUrl(base64) ? base64 : `data:application/octet-stream;base64,${base64}`)

/** Writes the steps of an earlier run as messages: its calls with their results. Calls without a result are left out. */
export function toHistory(steps: readonly JobStep[]): RunMessage[] {
  const messages: RunMessage[] = []
  let text = ''
  for (let index = 0; index < steps.length; index += 1) {
    const step = steps[index]
    if (step?.kind === 'text') text += step.content
    if (step?.kind !== 'tool_call') continue
    const calls: JobStep[] = []
    for (; steps[index]?.kind === 'tool_call'; index += 1) calls.push(steps[index] as JobStep)
    // Ids may come again in a later run.
    const results = readResults(steps, index)
    index -= 1
    const answered = calls.filter(({ callId = '' }) => results.has(callId))
    if (answered.length === 0) continue
    messages.push({ role: 'assistant', content: text, tool_calls: answered.map(toToolCall) })
    text = ''
    for (const { callId = '' } of answered) {
      messages.push({ role: 'tool', tool_call_id: callId, content: results.get(callId) ?? '' })
    }
  }
  return messages
}

/** The results from a place on, up to the next calls, by their calls. */
function readResults(steps: readonly JobStep[], from: number): ReadonlyMap<string, string> {
  const results = new Map<string, string>()
  for (let index = from; index < steps.length && steps[index]?.kind !== 'tool_call'; index += 1) {
    const { kind, callId = '', content = '' } = steps[index] ?? {}
    if (kind === 'tool_result' && !results.has(callId)) results.set(callId, content)
  }
  return results
}

function toToolCall({ callId = '', toolName = '', arguments: args = '{}' }: JobStep): RunToolCall {
  return { id: callId, type: 'function', function: { name: toolName, arguments: isJson(args) ? args : '{}' } }
}

/** Whether a text is JSON: long arguments are cut when they are kept. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Converts messages to the domain. */
export function toChatMessages(messages: readonly RunMessage[]): ChatMessage[] {
  return messages.map((message, index) => {
    if (message.role === 'tool') return { role: 'tool', content: message.content, toolCallId: message.tool_call_id }
    if ('tool_calls' in message) {
      const toolCalls = message.tool_calls.map(({ id, function: { name, arguments: args } }) => ({
        id,
        name,
        arguments: args,
      }))
      return { role: 'assistant', content: message.content, toolCalls }
    }
    const name = message.role === 'user' ? message.name : undefined
    const named = name === undefined ? {} : { name }
    return typeof message.content === 'string'
      ? { role: message.role, content: message.content, ...named }
      : { role: message.role, ...toContent(message.content, index), ...named }
  })
}

function toContent(parts: readonly RunPart[], index: number): Pick<ChatMessage, 'content' | 'media' | 'attachments'> {
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  const attachments = parts.flatMap((part, place) => {
    const attachment = toAttachment(part, `messages[${index}].content[${place}]`)
    return attachment === undefined ? [] : [attachment]
  })
  return { content: texts.join(''), media: { images: 0, audio: 0, video: 0 }, attachments }
}

function toAttachment(part: RunPart, param: string): Attachment | undefined {
  switch (part.type) {
    case 'text':
      return undefined
    case 'image_url':
      return { kind: 'image', source: { url: part.image_url.url }, param }
    case 'video_url':
      return { kind: 'video', source: { url: part.video_url.url }, param }
    case 'audio_url':
      return { kind: 'audio', source: { url: part.audio_url.url }, param }
    case 'input_audio':
      return { kind: 'audio', source: { base64: part.input_audio.data }, param }
    case 'file':
      return { kind: 'file', source: toFileSource(part.file.file_data), param }
  }
}

function toFileSource(data: string): Attachment['source'] {
  return isUrl(data) ? { url: data } : { base64: data }
}
