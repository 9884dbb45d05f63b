import type { ChatReplyMessage, ChatToolCall } from '@svc/wire/openai'
import { type ArgumentSource, readWholeCalls } from '../call-assembler.ts'
import { type Fields, isFields, toCount, toFields, toList, toText, tryParseJson } from '../fields.ts'
import { createArgumentSource } from './argument-source.ts'
import { endWithCalls, readFinishReason, withoutCalls } from './finish-reason.ts'
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
  const message = readMessage(choice.message, options, createArgumentSource(body, { choice: 0, member: 'message' }))
  return {
    id: toText(fields.id) ?? '',
    object: 'chat.completion',
    created: toCount(fields.created) ?? Math.floor(options.now() / 1000),
    model: toText(fields.model) ?? '',
    choices: [
      {
        index: 0,
        message,
        finish_reason:
          options.mode === 'text' ? withoutCalls(reason) : endWithCalls(reason, message.tool_calls !== undefined),
        logprobs: null,
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  }
}

function readMessage(message: Fields, { mode }: ReaderOptions, source: ArgumentSource): ChatReplyMessage {
  const refusal = toText(message.refusal) ?? null
  const content = toText(message.content) ?? joinParts(message.content) ?? refusal
  const spoken = { role: 'assistant' as const, content, refusal }
  if (mode === 'text') return { ...spoken, content: content ?? '' }
  const reasoning = toText(message.reasoning) ?? toText(message.reasoning_content)
  const calls = readCalls(message, source)
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

function readCalls(message: Fields, source: ArgumentSource): ChatToolCall[] {
  return readWholeCalls(message, source).map(({ id, ...called }, index) => ({
    index,
    id,
    type: 'function' as const,
    function: called,
  }))
}
