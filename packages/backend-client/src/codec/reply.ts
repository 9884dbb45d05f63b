import type { ChatDelta, Reply, ToolCallDelta } from '../gen/backend.ts'
import { MessageReader } from './message-reader.ts'

const EMPTY = Buffer.alloc(0)

/**
 * Reads a `Reply`. `message`, `audio` and `logprobs` are views of `bytes`.
 *
 * @throws an error for bytes that are not a message
 */
export function decodeReply(bytes: Buffer): Reply {
  const reader = new MessageReader(bytes)
  const reply: Reply = {
    message: EMPTY,
    tokens: 0,
    promptTokens: 0,
    timingPromptProcessing: 0,
    timingTokenGeneration: 0,
    audio: EMPTY,
    logprobs: EMPTY,
    chatDeltas: [],
  }
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) reply.message = reader.bytes()
    else if (tag === 16) reply.tokens = reader.int32()
    else if (tag === 24) reply.promptTokens = reader.int32()
    else if (tag === 33) reply.timingPromptProcessing = reader.double()
    else if (tag === 41) reply.timingTokenGeneration = reader.double()
    else if (tag === 50) reply.audio = reader.bytes()
    else if (tag === 58) reply.logprobs = reader.bytes()
    else if (tag === 66) reply.chatDeltas.push(reader.message(readChatDelta))
    else reader.skip(tag)
  }
  return reply
}

function readChatDelta(reader: MessageReader): ChatDelta {
  const delta: ChatDelta = { content: '', reasoningContent: '', toolCalls: [] }
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 10) delta.content = reader.string()
    else if (tag === 18) delta.reasoningContent = reader.string()
    else if (tag === 26) delta.toolCalls.push(reader.message(readToolCallDelta))
    else reader.skip(tag)
  }
  return delta
}

function readToolCallDelta(reader: MessageReader): ToolCallDelta {
  const call: ToolCallDelta = { index: 0, id: '', name: '', arguments: '' }
  for (let tag = reader.tag(); tag !== 0; tag = reader.tag()) {
    if (tag === 8) call.index = reader.int32()
    else if (tag === 18) call.id = reader.string()
    else if (tag === 26) call.name = reader.string()
    else if (tag === 34) call.arguments = reader.string()
    else reader.skip(tag)
  }
  return call
}
