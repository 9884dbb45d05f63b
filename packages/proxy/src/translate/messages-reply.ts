import { parseJson } from '@svc/json'
import type { ChatReplyMessage, ChatToolCall } from '@svc/wire/openai'
import { type Fields, isFields, toFields, toText, tryParseJson } from '../fields.ts'
import { toFinishReason, withoutCalls } from './finish-reason.ts'
import { findErrorInside, refused, unreadable } from './reply-errors.ts'
import type { ReadReply } from './reply-reader.ts'
import { addFigures, toCompatibleUsage } from './usage.ts'

/** Reads a reply of the messages format: texts joined, uses of tools as calls, thoughts as reasoning. */
export const readMessagesReply: ReadReply = (body, { mode, now }) => {
  const reply = toFields(tryParseJson(new TextDecoder().decode(body)))
  const failure = findErrorInside(reply)
  if (failure !== undefined) throw failure
  if (!Array.isArray(reply.content)) throw unreadable()
  if (reply.stop_reason === 'refusal') throw refused()
  const blocks = reply.content.map(toFields)
  const isText = mode === 'text'
  const reason = toFinishReason(reply.stop_reason)
  const usage = toCompatibleUsage(addFigures({}, reply.usage))
  return {
    id: toText(reply.id) ?? '',
    object: 'chat.completion',
    created: Math.floor(now() / 1000),
    model: toText(reply.model) ?? '',
    choices: [
      {
        index: 0,
        message: isText ? readSpoken(blocks) : { ...readSpoken(blocks), ...readUnspoken(blocks, body) },
        finish_reason: isText ? withoutCalls(reason) : reason,
        logprobs: null,
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  }
}

function readSpoken(blocks: readonly Fields[]): ChatReplyMessage {
  return { role: 'assistant', content: joinTexts(blocks, 'text', 'text'), refusal: null }
}

function readUnspoken(blocks: readonly Fields[], body: Uint8Array): Partial<ChatReplyMessage> {
  const reasoning = joinTexts(blocks, 'thinking', 'thinking')
  const calls = toCalls(blocks, body)
  return { ...(reasoning === '' ? {} : { reasoning }), ...(calls.length === 0 ? {} : { tool_calls: calls }) }
}

function joinTexts(blocks: readonly Fields[], type: string, member: string): string {
  return blocks.map((block) => (block.type === type ? (toText(block[member]) ?? '') : '')).join('')
}

function toCalls(blocks: readonly Fields[], body: Uint8Array): ChatToolCall[] {
  if (!blocks.some(({ type }) => type === 'tool_use')) return []
  const inputs = readInputTexts(body)
  const uses = blocks.map((block, place) => ({ block, input: inputs[place] }))
  return uses
    .filter(({ block }) => block.type === 'tool_use' && typeof block.name === 'string')
    .map(({ block, input }, index) => ({
      index,
      id: toText(block.id) ?? `call_${index}`,
      type: 'function',
      function: {
        name: toText(block.name) ?? '',
        arguments: isFields(block.input) ? (input ?? JSON.stringify(block.input)) : '{}',
      },
    }))
}

/**
 * The inputs in their source text, so that numbers too long for a double survive. Empty when the reply nests too deep.
 */
function readInputTexts(body: Uint8Array): readonly (string | undefined)[] {
  try {
    const blocks = parseJson(body).root.get('content')?.items() ?? []
    return [...blocks].map((block) => block.get('input')?.rawText())
  } catch {
    return []
  }
}
