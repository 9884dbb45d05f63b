import type { ChatReplyMessage, ChatToolCall } from '@svc/wire/openai'
import { countOf, type Fields, fieldsOf, isFields, listOf, textOf, tryParseJson } from '../fields.ts'
import { readFinishReason, withoutCalls } from './finish-reason.ts'
import { errorInside, unreadable } from './reply-errors.ts'
import type { ReaderOptions, ReadReply } from './reply-reader.ts'
import { readCompatibleUsage } from './usage.ts'

/** Reads a reply of the compatible format; of several choices the first. */
export const readCompatibleReply: ReadReply = (body, options) => {
  const reply = tryParseJson(new TextDecoder().decode(body))
  const failure = errorInside(reply)
  if (failure !== undefined) throw failure
  const fields = fieldsOf(reply)
  const choice = fieldsOf(listOf(fields.choices)[0])
  if (!isFields(choice.message)) throw unreadable()
  const usage = readCompatibleUsage(fields.usage)
  const reason = readFinishReason(choice.finish_reason)
  return {
    id: textOf(fields.id) ?? '',
    object: 'chat.completion',
    created: countOf(fields.created) ?? Math.floor(options.now() / 1000),
    model: textOf(fields.model) ?? '',
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
  const refusal = textOf(message.refusal) ?? null
  const content = textOf(message.content) ?? contentOfParts(message.content) ?? refusal
  const spoken = { role: 'assistant' as const, content, refusal }
  if (mode === 'text') return { ...spoken, content: content ?? '' }
  const reasoning = textOf(message.reasoning) ?? textOf(message.reasoning_content)
  const calls = readCalls(message)
  return {
    ...spoken,
    ...(reasoning === undefined || reasoning === '' ? {} : { reasoning }),
    ...(calls.length > 0 ? { tool_calls: calls } : {}),
  }
}

/** Some upstreams send the text as parts. */
function contentOfParts(content: unknown): string | undefined {
  if (!Array.isArray(content)) return undefined
  return content.map((part) => textOf(fieldsOf(part).text) ?? '').join('')
}

function readCalls({ tool_calls: calls, function_call: legacy }: Fields): ChatToolCall[] {
  const all = listOf(calls).map(fieldsOf)
  if (all.length === 0 && isFields(legacy)) all.push({ function: legacy })
  return all.flatMap(({ id, function: called }, index) => {
    const { name, arguments: given } = fieldsOf(called)
    if (typeof name !== 'string') return []
    const text = textOf(given) ?? (isFields(given) ? JSON.stringify(given) : '')
    return {
      index,
      id: textOf(id) ?? `call_${index}`,
      type: 'function' as const,
      function: { name, arguments: text === '' ? '{}' : text },
    }
  })
}
