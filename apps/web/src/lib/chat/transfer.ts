import { isRecord } from '../api-error.ts'
import { listPath, measureMessage } from './tree.ts'
import { type Attachment, type Chat, type ChatSettings, createId, DEFAULT_SETTINGS, type Message } from './types.ts'

const FORMAT = 'svc-chats'
/** A mark of the Markdown form, such as `<!-- svc-message {"role":"user"} -->`. */
const MARK = /^<!-- svc-(chat|message) (\{.*\}) -->$/gm

/** A file that holds no chats. */
export class TransferError extends Error {
  override readonly name = 'TransferError'
}

/** Chats with all their versions, files and settings. */
export function toJson(chats: readonly Chat[]): string {
  return JSON.stringify({
    format: FORMAT,
    version: 1,
    chats: chats.map(({ entry, messages }) => ({ ...entry, messages })),
  })
}

/** The visible versions of chats, to be read by people. {@link readChats} reads them again, without files. */
export function toMarkdown(
  chats: readonly Chat[],
  names: { readonly user: string; readonly untitled: string },
): string {
  return chats
    .map(({ entry, messages }) => {
      const { title, model, createdAt } = entry
      const parts = listPath(messages, entry.leafId).map((message) => {
        const { role, reasoning, attachments } = message
        const heading = role === 'user' ? names.user : (message.servedModel ?? message.model ?? model)
        const files = attachments.map(({ name }) => `\n\n- ${name}`).join('')
        const mark = toMark('message', { role, createdAt: message.createdAt, model: message.model, reasoning })
        return `${mark}\n## ${heading}\n\n${escapeMarks(message.text)}${files}\n`
      })
      return `${toMark('chat', { title, model, createdAt })}\n# ${title || names.untitled}\n\n${parts.join('\n')}`
    })
    .join('\n')
}

function toMark(kind: 'chat' | 'message', fields: object): string {
  // no text may end the comment
  return `<!-- svc-${kind} ${JSON.stringify(fields).replaceAll('>', '\\u003e')} -->`
}

const escapeMarks = (text: string) => text.replaceAll('<!-- svc-', '<!-- svc\\-')
const unescapeMarks = (text: string) => text.replaceAll('<!-- svc\\-', '<!-- svc-')

/**
 * Reads exported chats, of either form. They get new ids, so that they replace nothing.
 *
 * @throws TransferError for a text without chats
 */
export function readChats(text: string): readonly Chat[] {
  const chats = text.trimStart().startsWith('{') ? readJson(text) : readMarkdown(text)
  if (chats.length === 0) throw new TransferError('The file holds no chats.')
  return chats
}

function readJson(text: string): readonly Chat[] {
  let parsed: unknown
  try {
    parsed = JSON.parse(text)
  } catch (cause) {
    throw new TransferError('The file is not complete JSON.', { cause })
  }
  if (!isRecord(parsed) || parsed.format !== FORMAT || !Array.isArray(parsed.chats)) return []
  return parsed.chats.filter(isRecord).map(readChat)
}

function readChat(fields: Record<string, unknown>): Chat {
  const chatId = createId()
  const raw = Array.isArray(fields.messages) ? fields.messages.filter(isRecord) : []
  const ids = new Map(raw.map(({ id }) => [String(id), createId()]))
  const messages = raw.map((message): Message => {
    const parentId = ids.get(String(message.parentId)) ?? null
    return readMessage(message, { chatId, parentId, id: ids.get(String(message.id)) ?? createId() })
  })
  return toChat(fields, chatId, messages, ids.get(String(fields.leafId)) ?? messages.at(-1)?.id ?? null)
}

function toChat(
  fields: Record<string, unknown>,
  id: string,
  messages: readonly Message[],
  leafId: string | null,
): Chat {
  const createdAt = readTime(fields.createdAt)
  const updatedAt = messages.at(-1)?.createdAt ?? createdAt
  const bytes = messages.reduce((sum, message) => sum + measureMessage(message), 0)
  const settings = readSettings(fields.settings)
  const entry = { id, title: readText(fields.title).slice(0, 200), model: readText(fields.model), settings }
  return { entry: { ...entry, createdAt, updatedAt, leafId, bytes }, messages }
}

function readMessage(fields: Record<string, unknown>, ids: Pick<Message, 'id' | 'chatId' | 'parentId'>): Message {
  const attachments = Array.isArray(fields.attachments) ? fields.attachments.filter(isRecord).flatMap(readFile) : []
  const calls = Array.isArray(fields.toolCalls) ? fields.toolCalls.filter(isRecord) : []
  return {
    ...ids,
    role: fields.role === 'assistant' ? 'assistant' : 'user',
    createdAt: readTime(fields.createdAt),
    text: readText(fields.text),
    reasoning: readText(fields.reasoning),
    attachments,
    toolCalls: calls.map((call) => ({
      id: readText(call.id),
      name: readText(call.name),
      arguments: readText(call.arguments),
      // a file cannot agree to calls
      ...(typeof call.server === 'string' && { server: call.server, tool: readText(call.tool) }),
      ...(typeof call.textBefore === 'number' && { textBefore: call.textBefore }),
      ...(call.isFailed === true && { isFailed: true }),
      ...(typeof call.result === 'string' && { result: call.result }),
      startedAt: readTime(call.startedAt),
    })),
    ...(typeof fields.model === 'string' && { model: fields.model }),
    ...(typeof fields.servedModel === 'string' && { servedModel: fields.servedModel }),
    state: fields.state === 'done' || fields.state === undefined ? 'done' : 'interrupted',
  }
}

function readFile({ kind, name, type, bytes, data }: Record<string, unknown>): Attachment[] {
  if (kind !== 'text' && kind !== 'image' && kind !== 'audio' && kind !== 'video') return []
  const content = readText(data)
  // only content that the file itself holds, never an address
  if (kind !== 'text' && !content.startsWith(`data:${kind}/`)) return []
  const size = typeof bytes === 'number' ? bytes : content.length
  return [{ id: createId(), kind, name: readText(name), type: readText(type), bytes: size, data: content }]
}

function readSettings(fields: unknown): ChatSettings {
  if (!isRecord(fields)) return DEFAULT_SETTINGS
  const numbers = Object.fromEntries(
    ['temperature', 'topP', 'topK', 'maxTokens', 'frequencyPenalty', 'presencePenalty', 'seed'].flatMap((key) =>
      typeof fields[key] === 'number' ? [[key, fields[key]]] : [],
    ),
  )
  const stop = Array.isArray(fields.stop) ? fields.stop.filter((text): text is string => typeof text === 'string') : []
  return {
    ...DEFAULT_SETTINGS,
    ...numbers,
    stop: stop.slice(0, 16),
    systemPrompt: readText(fields.systemPrompt),
    isThinking: fields.isThinking !== false,
  }
}

function readMarkdown(text: string): readonly Chat[] {
  const chats: { fields: Record<string, unknown>; id: string; messages: Message[] }[] = []
  const marks = [...text.replace(/\r\n?/g, '\n').matchAll(MARK)]
  const whole = text.replace(/\r\n?/g, '\n')
  for (const [index, mark] of marks.entries()) {
    const fields: unknown = JSON.parse(mark[2] ?? '{}')
    if (!isRecord(fields)) continue
    if (mark[1] === 'chat') {
      chats.push({ fields, id: createId(), messages: [] })
      continue
    }
    const chat = chats.at(-1)
    if (chat === undefined) continue
    const body = whole.slice(mark.index + mark[0].length, marks[index + 1]?.index)
    // the heading is for people
    const content = unescapeMarks(body.replace(/^\n## .*\n\n?/, '').replace(/\n{1,2}$/, ''))
    const parentId = chat.messages.at(-1)?.id ?? null
    chat.messages.push(readMessage({ ...fields, text: content }, { id: createId(), chatId: chat.id, parentId }))
  }
  return chats.map(({ fields, id, messages }) => toChat(fields, id, messages, messages.at(-1)?.id ?? null))
}

const readText = (value: unknown) => (typeof value === 'string' ? value : '')
const readTime = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : Date.now())
