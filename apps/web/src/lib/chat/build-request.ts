import { toAnswerMessages, toToolMetadata } from './conversation.ts'
import { usesTools } from './tool-calls.ts'
import type { Attachment, ChatSettings, Message } from './types.ts'

/** Asks a model to continue an answer that broke off. */
const CONTINUE = 'Continue exactly where your last message broke off. Do not repeat what is there.'

/** Parts of a request for an answer. */
export interface AnswerRequest {
  readonly model: string
  readonly settings: ChatSettings
  /** The conversation up to the wanted answer. An unfinished answer at its end is to be continued. */
  readonly path: readonly Message[]
}

/** The text that is sent: the written text, and text files with their names. */
export function toSentText({ text, attachments }: Pick<Message, 'text' | 'attachments'>): string {
  const files = attachments.flatMap(({ kind, name, data }) => {
    if (kind !== 'text') return []
    // a fence that is longer than any in the file keeps the file together
    const longest = Math.max(2, ...(data.match(/`{3,}/g) ?? []).map(({ length }) => length))
    const fence = '`'.repeat(longest + 1)
    return [`File ${name}:\n${fence}\n${data}\n${fence}`]
  })
  return [text, ...files].filter((part) => part !== '').join('\n\n')
}

function listTurns({ path }: AnswerRequest): readonly Pick<Message, 'role' | 'text' | 'attachments'>[] {
  // answers that hold only failed attempts or calls are useless to the model
  const turns = path.filter(({ role, text, attachments }) => role === 'user' || text !== '' || attachments.length > 0)
  const isUnfinished = turns.at(-1)?.role === 'assistant'
  return isUnfinished ? [...turns, { role: 'user', text: CONTINUE, attachments: [] }] : turns
}

/** The messages of a conversation with calls of tools and their results. */
function listMessages(request: AnswerRequest): readonly Part[] {
  const { path, settings } = request
  const toPlain = (turn: Pick<Message, 'role' | 'text' | 'attachments'>) => ({
    role: turn.role,
    content: toContent(turn, toChatPart),
  })
  if (!usesTools(settings)) return listTurns(request).map(toPlain)
  const messages = path.flatMap((message): readonly Part[] =>
    message.role === 'user' ? [toPlain(message)] : toAnswerMessages(message),
  )
  // an answer that ends with calls goes on by itself
  const isUnfinished = messages.at(-1)?.role === 'assistant' && messages.at(-1)?.tool_calls === undefined
  return isUnfinished ? [...messages, { role: 'user', content: CONTINUE }] : messages
}

/** The body for `POST /v1/chat/completions`. The full conversation is always sent, so that all of it is scanned. */
export function buildChatBody(request: AnswerRequest): Record<string, unknown> {
  const { model, settings } = request
  const system = settings.systemPrompt.trim()
  return {
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [...(system === '' ? [] : [{ role: 'system', content: system }]), ...listMessages(request)],
    ...toSampling(settings, toToolMetadata(settings, request.path.at(-1))),
    ...(settings.maxTokens !== undefined && { max_tokens: settings.maxTokens }),
    ...(settings.topK !== undefined && { top_k: settings.topK }),
    ...(settings.seed !== undefined && { seed: settings.seed }),
    ...(settings.stop.length > 0 && { stop: settings.stop }),
  }
}

/** The body for `POST /v1/responses` with `background`: the server continues when the page is closed. */
export function buildBackgroundBody(request: AnswerRequest): Record<string, unknown> {
  const { model, settings } = request
  const system = settings.systemPrompt.trim()
  return {
    model,
    background: true,
    store: true,
    stream: true,
    ...(system !== '' && { instructions: system }),
    input: listTurns(request).map((turn) => ({
      type: 'message',
      role: turn.role,
      content: toContent(turn, toResponsePart),
    })),
    ...toSampling(settings),
    ...(settings.maxTokens !== undefined && { max_output_tokens: settings.maxTokens }),
  }
}

function toSampling(settings: ChatSettings, tools: Readonly<Record<string, string>> = {}) {
  const { temperature, topP, frequencyPenalty, presencePenalty, isThinking } = settings
  const metadata = { ...(!isThinking && { enable_thinking: 'false' }), ...tools }
  return {
    ...(temperature !== undefined && { temperature }),
    ...(topP !== undefined && { top_p: topP }),
    ...(frequencyPenalty !== undefined && { frequency_penalty: frequencyPenalty }),
    ...(presencePenalty !== undefined && { presence_penalty: presencePenalty }),
    ...(Object.keys(metadata).length > 0 && { metadata }),
  }
}

type Part = Readonly<Record<string, unknown>>

interface PartMaker {
  readonly text: (text: string) => Part
  readonly media: (attachment: Attachment) => Part
}

function toContent(turn: Pick<Message, 'text' | 'attachments'>, { text, media }: PartMaker): string | readonly Part[] {
  const sent = toSentText(turn)
  const files = turn.attachments.filter(({ kind }) => kind !== 'text')
  return files.length === 0 ? sent : [...(sent === '' ? [] : [text(sent)]), ...files.map(media)]
}

/** The bytes behind a `data:` address, in Base64, and the short name of their format. */
function toInputAudio({ data, type }: Attachment): Part {
  const format = type.replace(/^audio\/(x-)?/, '').replace('mpeg', 'mp3')
  return { data: data.slice(data.indexOf(',') + 1), format }
}

const toChatPart: PartMaker = {
  text: (text) => ({ type: 'text', text }),
  media(attachment) {
    if (attachment.kind === 'audio') return { type: 'input_audio', input_audio: toInputAudio(attachment) }
    if (attachment.kind === 'video') return { type: 'video_url', video_url: { url: attachment.data } }
    return { type: 'image_url', image_url: { url: attachment.data } }
  },
}

const toResponsePart: PartMaker = {
  text: (text) => ({ type: 'input_text', text }),
  media(attachment) {
    if (attachment.kind === 'audio') return { type: 'input_audio', input_audio: toInputAudio(attachment) }
    if (attachment.kind === 'video') return { type: 'input_video', video_url: attachment.data }
    return { type: 'input_image', image_url: attachment.data }
  },
}
