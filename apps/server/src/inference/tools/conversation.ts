import type { MessagesRequest } from '@svc/wire/messages'
import type { ChatCompletionRequest } from '@svc/wire/openai'
import type { ChatMessage, ChatRequest, ToolCall } from '../core/request.ts'
import type { Medium } from '../media/attachment.ts'
import type { UpstreamChat } from '../serving/upstream/translate.ts'
import type { OpenTool } from './open-tools.ts'
import type { Turn } from './read-turn.ts'

/** A request that grows with each turn, with the same request for upstreams. */
export interface Conversation {
  readonly request: ChatRequest
  readonly upstreamChat: UpstreamChat | undefined
}

/** An answer as the model may read it. */
export interface FilteredAnswer {
  readonly call: ToolCall
  readonly text: string
  readonly isError: boolean
  readonly media: readonly Medium[]
}

/** Offers tools of servers beside those of the caller. */
export function offerTools({ request, upstreamChat }: Conversation, tools: Iterable<OpenTool>): Conversation {
  const all = [...tools]
  if (all.length === 0) return { request, upstreamChat }
  return {
    request: { ...request, tools: [...(request.tools ?? []), ...all.map(toChatTool)] },
    upstreamChat: upstreamChat && {
      chat: { ...upstreamChat.chat, tools: [...(upstreamChat.chat.tools ?? []), ...all.map(toChatTool)] },
      source: upstreamChat.source && {
        ...upstreamChat.source,
        tools: [...(upstreamChat.source.tools ?? []), ...all.map(toMessagesTool)],
      },
    },
  }
}

/** Puts messages before those of the conversation, after its instructions. */
export function startWith({ request, upstreamChat }: Conversation, messages: readonly ChatMessage[]): Conversation {
  if (messages.length === 0) return { request, upstreamChat }
  const place = request.messages.findIndex(({ role }) => role !== 'system')
  const at = place < 0 ? request.messages.length : place
  const before = upstreamChat?.chat.messages.findIndex(({ role }) => role !== 'system' && role !== 'developer') ?? 0
  return {
    request: { ...request, messages: [...request.messages.slice(0, at), ...messages, ...request.messages.slice(at)] },
    upstreamChat: upstreamChat && {
      chat: {
        ...upstreamChat.chat,
        messages: [
          ...upstreamChat.chat.messages.slice(0, Math.max(0, before)),
          ...messages.map(({ role, content }) => ({ role, content })),
          ...upstreamChat.chat.messages.slice(Math.max(0, before)),
        ],
      },
    },
  }
}

/** Appends a text to the last message of the user. */
export function appendToUser({ request, upstreamChat }: Conversation, text: string): Conversation {
  const message: ChatMessage = { role: 'user', content: text }
  const last = request.messages.findLastIndex(({ role }) => role === 'user')
  if (last < 0) {
    return {
      request: { ...request, messages: [...request.messages, message] },
      upstreamChat: appendUpstream(upstreamChat, [{ role: 'user', content: text }], [{ role: 'user', content: text }]),
    }
  }
  const messages = request.messages.map((one, index) =>
    index === last ? { ...one, content: `${one.content}\n\n${text}` } : one,
  )
  const chat = upstreamChat?.chat
  const place = chat?.messages.findLastIndex(({ role }) => role === 'user') ?? -1
  return {
    request: { ...request, messages },
    upstreamChat: chat && {
      chat: { ...chat, messages: chat.messages.map((one, index) => (index === place ? withText(one, text) : one)) },
    },
  }
}

function withText(message: ChatCompletionRequest['messages'][number], text: string): typeof message {
  const { content } = message
  if (Array.isArray(content)) return { ...message, content: [...content, { type: 'text', text }] }
  return { ...message, content: `${content ?? ''}\n\n${text}` }
}

/** Appends a turn and the answers to its calls. From then on the model may call what it wants. */
export function appendTurn(
  { request, upstreamChat }: Conversation,
  turn: Turn,
  answers: readonly FilteredAnswer[],
): Conversation {
  const said: ChatMessage = {
    role: 'assistant',
    content: turn.text,
    ...(turn.reasoning === '' ? {} : { reasoning: turn.reasoning }),
    toolCalls: turn.calls,
  }
  const appended = appendAnswers(
    { request: { ...request, messages: [...request.messages, said] }, upstreamChat: undefined },
    answers,
  )
  const upstream = appendUpstream(upstreamChat, [toChatTurn(turn)], [toMessagesTurn(turn)])
  return {
    request: { ...appended.request, echo: false, toolChoice: undefined },
    upstreamChat: upstream && withFreeChoice(appendUpstreamAnswers(upstream, answers)),
  }
}

/** Inserts answers behind the message at a place, and behind the answers that follow it. */
export function answerPending(
  { request, upstreamChat }: Conversation,
  place: number,
  answers: readonly FilteredAnswer[],
): Conversation {
  const at = place + 1
  const head = { ...request, messages: request.messages.slice(0, at) }
  const grown = appendAnswers({ request: head, upstreamChat: undefined }, answers).request
  const rest = request.messages.slice(at)
  return {
    request: { ...grown, messages: [...grown.messages, ...rest], toolChoice: undefined },
    // What follows a call that waited is at most a message of the user, which then follows the answers upstream too.
    upstreamChat: upstreamChat && insertUpstream(upstreamChat, rest.length, answers),
  }
}

function appendAnswers({ request }: Conversation, answers: readonly FilteredAnswer[]): Conversation {
  const media = answers.flatMap((answer) => answer.media)
  const messages: ChatMessage[] = answers.map(({ call, text }) => ({
    role: 'tool',
    content: text,
    name: call.name,
    toolCallId: call.id,
  }))
  if (media.length === 0)
    return { request: { ...request, messages: [...request.messages, ...messages] }, upstreamChat: undefined }
  const pick = (kind: Medium['kind']): string[] => media.flatMap((one) => (one.kind === kind ? [one.base64] : []))
  const [images, audio, video] = [pick('image'), pick('audio'), pick('video')]
  const shown: ChatMessage = {
    role: 'user',
    content: '',
    media: { images: images.length, audio: audio.length, video: video.length },
  }
  const known = request.media ?? { images: [], audio: [], video: [] }
  return {
    request: {
      ...request,
      messages: [...request.messages, ...messages, shown],
      media: {
        images: [...known.images, ...images],
        audio: [...known.audio, ...audio],
        video: [...known.video, ...video],
      },
    },
    upstreamChat: undefined,
  }
}

type ChatEntry = ChatCompletionRequest['messages'][number]
type MessagesEntry = MessagesRequest['messages'][number]

function appendUpstream(
  upstream: UpstreamChat | undefined,
  chat: readonly ChatEntry[],
  source: readonly MessagesEntry[],
): UpstreamChat | undefined {
  return (
    upstream && {
      chat: { ...upstream.chat, messages: [...upstream.chat.messages, ...chat] },
      source: upstream.source && { ...upstream.source, messages: [...upstream.source.messages, ...source] },
    }
  )
}

function appendUpstreamAnswers(upstream: UpstreamChat, answers: readonly FilteredAnswer[]): UpstreamChat {
  const media = answers.flatMap((answer) => answer.media)
  const shown: ChatEntry[] = media.length === 0 ? [] : [{ role: 'user', content: media.map(toChatPart) }]
  return appendUpstream(upstream, [...answers.map(toChatAnswer), ...shown], [toMessagesAnswers(answers)]) ?? upstream
}

function insertUpstream(upstream: UpstreamChat, behind: number, answers: readonly FilteredAnswer[]): UpstreamChat {
  const at = upstream.chat.messages.length - behind
  const head = { chat: { ...upstream.chat, messages: upstream.chat.messages.slice(0, at) } }
  const grown = appendUpstreamAnswers(head, answers)
  const messages = [...grown.chat.messages, ...upstream.chat.messages.slice(at)]
  // The messages format joins results and the text of the user in one message; its upstreams are asked from the chat.
  return withFreeChoice({ chat: { ...grown.chat, messages } })
}

function withFreeChoice({ chat, source }: UpstreamChat): UpstreamChat {
  const { tool_choice: _, ...rest } = chat
  return { chat: rest as ChatCompletionRequest, source: source && { ...source, tool_choice: freeChoice(source) } }
}

/** Keeps whether calls may be parallel. */
function freeChoice({ tool_choice: choice }: MessagesRequest): MessagesRequest['tool_choice'] {
  if (choice == null || choice.type === 'auto' || choice.type === 'none') return choice
  return { type: 'auto', disable_parallel_tool_use: choice.disable_parallel_tool_use }
}

function toChatTool({ name, description, inputSchema }: OpenTool) {
  return {
    type: 'function' as const,
    function: { name, ...(description === undefined ? {} : { description }), parameters: { ...inputSchema } },
  }
}

function toMessagesTool({ name, description, inputSchema }: OpenTool) {
  return { name, ...(description === undefined ? {} : { description }), input_schema: { ...inputSchema } }
}

function toChatTurn({ text, reasoning, calls }: Turn): ChatEntry {
  return {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    tool_calls: calls.map(({ id, name, arguments: args }) => ({
      id,
      type: 'function' as const,
      function: { name, arguments: args },
    })),
  }
}

function toChatAnswer({ call, text }: FilteredAnswer): ChatEntry {
  return { role: 'tool', tool_call_id: call.id, content: text }
}

function toChatPart({ kind, mediaType, base64 }: Medium) {
  const url = `data:${mediaType};base64,${base64}`
  if (kind === 'image') return { type: 'image_url' as const, image_url: { url } }
  return { type: 'input_audio' as const, input_audio: { data: base64, format: mediaType.split('/')[1] ?? 'wav' } }
}

function toMessagesTurn({ text, thoughts, calls }: Turn): MessagesEntry {
  return {
    role: 'assistant',
    content: [
      ...thoughts,
      ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }]),
      ...calls.map(({ id, name, arguments: args }) => ({ type: 'tool_use' as const, id, name, input: toInput(args) })),
    ],
  }
}

function toInput(args: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(args)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // answered as not an object
  }
  return {}
}

function toMessagesAnswers(answers: readonly FilteredAnswer[]): MessagesEntry {
  return {
    role: 'user',
    content: answers.map(({ call, text, isError, media }) => ({
      type: 'tool_result' as const,
      tool_use_id: call.id,
      content: [
        { type: 'text' as const, text },
        ...media
          .filter(({ kind }) => kind === 'image')
          .map(({ mediaType, base64 }) => ({
            type: 'image' as const,
            source: { type: 'base64' as const, media_type: mediaType, data: base64 },
          })),
      ],
      ...(isError ? { is_error: true } : {}),
    })),
  }
}
