import type { ChatReplyMessage, ChatToolCall } from '@svc/wire/openai'
import { type Fields, isFields, toCount, toFields, toList, toText, tryParseJson } from '../fields.ts'
import { readFinishReason, withoutCalls } from './finish-reason.ts'
import { findErrorInside, unreadable } from './reply-errors.ts'
import type { ReaderOptions, ReadReply } from './reply-reader.ts'
import { readCompatibleUsage } from './usage.ts'

/** Reads a reply of the compatible format; of several choices the first. */
export const readCompatibleReply: ReadReply = (body, options) => {
  const reply = tryParseJson(new TextDecoder().decode(body))
  const failure = findErrorInside(reply)
  if (failure !== undefined) throw failure
  const fields = toFields(reply)
  const choice = toFields(toList(fields.choices)[0])
  if (!isFields(choice.message)) throw unreadable()
  const usage = readCompatibleUsage(fields.usage)
  const reason = readFinishReason(choice.finish_reason)
  return {
    id: toText(fields.id) ?? '',
    object: 'chat.completion',
    created: toCount(fields.created) ?? Math.floor(options.now() / 1000),
    model: toText(fields.model) ?? '',
    choices: [
      {
        index: 0,
        message: readMessage(choice.message, options),
        finish_reason: options.mode === 'text' ? withoutCalls(reason) : reason,
        logprobs: null,
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  }
}

function readMessage(message: Fields, { mode }: ReaderOptions): ChatReplyMessage {
  const refusal = toText(message.refusal) ?? null
  const content = toText(message.content) ?? joinParts(message.content) ?? refusal
  const spoken = { role: 'assistant' as const, content, refusal }
  if (mode === 'text') return { ...spoken, content: content ?? '' }
  const reasoning = toText(message.reasoning) ?? toText(message.reasoning_content)
  const calls = readCalls(message)
  return {
    ...spoken,
    ...(reasoning === undefined || reasoning === '' ? {} : { reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Some upstreams send the text as parts. */
function joinParts(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined
  return content.map((part) => toText(toFields(part).text) ?? '').join('')
}

function readCalls({ tool_calls: calls, function_call: legacy }: Fields): ChatToolCall[] {
  const all = toList(calls).map(toFields)
  if (all.length === 0 && isFields(legacy)) all.push({ function: legacy })
  return all.flatMap(({ id, function: called }, index) => {
    const { name, arguments: given } = toFields(called)
    if (typeof name !== 'string') return []
    const text = toText(given) ?? (isFields(given) ? JSON.stringify(given) : '')
    return {
      index,
      id: toText(id) ?? `call_${index}`,
      type: 'function' as const,
      function: { name, arguments: text === '' ? '{}' : text },
    }
  })
}
