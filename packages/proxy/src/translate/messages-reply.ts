import type { ChatReplyMessage, ChatToolCall } from '@svc/wire/openai'
import { type Fields, isFields, toFields, toText, tryParseJson } from '../fields.ts'
import { endWithCalls, toFinishReason, withoutCalls } from './finish-reason.ts'
import { findErrorInside, refused, unreadable } from './reply-errors.ts'
import type { ReadReply } from './reply-reader.ts'
import { readSources } from './source-text.ts'
import { TextJoiner } from './text-joiner.ts'
import { readThinkingBlock } from './thoughts.ts'
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
  const message: ChatReplyMessage = isText
    ? readSpoken(blocks)
    : { ...readSpoken(blocks), ...readUnspoken(blocks, body) }
  return {
    id: toText(reply.id) ?? '',
    object: 'chat.completion',
    created: Math.floor(now() / 1000),
    model: toText(reply.model) ?? '',
    choices: [
      {
        index: 0,
        message,
        finish_reason: isText ? withoutCalls(reason) : endWithCalls(reason, message.tool_calls !== undefined),
        logprobs: null,
      },
    ],
    ...(usage === undefined ? {} : { usage }),
  }
}

function readSpoken(blocks: readonly Fields[]): ChatReplyMessage {
  const texts = new TextJoiner()
  const content = blocks.map((block) => (block.type === 'text' ? texts.open(block) : '')).join('')
  return { role: 'assistant', content, refusal: null }
}

function readUnspoken(blocks: readonly Fields[], body: Uint8Array): Partial<ChatReplyMessage> {
  const reasoning = blocks.map(({ type, thinking }) => (type === 'thinking' ? (toText(thinking) ?? '') : '')).join('')
  const thoughts = blocks.flatMap((block) => readThinkingBlock(block) ?? [])
  const calls = toCalls(blocks, body)
  return {
    ...(reasoning === '' ? {} : { reasoning }),
    ...(thoughts.length === 0 ? {} : { thinking_blocks: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function toCalls(blocks: readonly Fields[], body: Uint8Array): ChatToolCall[] {
  const uses = blocks
    .map((block, place) => ({ block, place }))
    .filter(({ block }) => block.type === 'tool_use' && typeof block.name === 'string')
  if (uses.length === 0) return []
  const inputs = readSources(body, (root) =>
    [...(root.get('content')?.items() ?? [])].map((block) => block.get('input')),
  )
  return uses.map(({ block, place }, index) => ({
    index,
    id: toText(block.id) ?? `call_${index}`,
    type: 'function',
    function: { name: toText(block.name) ?? '', arguments: readInputText(block, inputs[place]) },
  }))
}

/** The input of a call: the upstream's own text, so that long numbers survive. */
function readInputText({ input }: Fields, source: string | undefined): string {
  if (isFields(input)) return source ?? JSON.stringify(input)
  return typeof input === 'string' && input.trim() !== '' ? input : '{}'
}
