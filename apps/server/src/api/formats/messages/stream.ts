import type { MessagesEvent } from '@svc/wire/messages'
import { errorBody } from '../../../http/error-envelopes.ts'
import { createSigner, type Signer } from '../../../inference/engine/thought-signature.ts'
import type { ReplyFacts, StreamEncoder } from '../../../inference/replies/wire-format.ts'
import { toModelFailure } from '../model-failure.ts'
import { type BlockKind, type BlockStep, createBlockOrder } from './blocks.ts'
import type { MessagesReplyOptions } from './reply-options.ts'
import { type MessageStop, watchEnd } from './stop.ts'
import { toMessagesUsage } from './usage.ts'

/** Encodes a prediction as the events of a message. */
export function streamMessage(facts: ReplyFacts, options: MessagesReplyOptions): StreamEncoder {
  const order = createBlockOrder(options)
  const watch = watchEnd(options.stopSequences)
  let stop: MessageStop = { stop_reason: 'end_turn', stop_sequence: null }
  let index = -1
  let type: BlockKind['type'] = 'text'
  let signer: Signer = createSigner()

  function encode(step: BlockStep): string {
    switch (step.step) {
      case 'start':
        index += 1
        type = step.block.type
        signer = createSigner()
        return toFrame({ type: 'content_block_start', index, content_block: emptyBlock(step.block) })
      case 'piece':
        signer.push(step.text)
        return toPieceFrame(index, type, step.text)
      case 'stop': {
        const stop = toFrame({ type: 'content_block_stop', index })
        if (type !== 'thinking') return stop
        const signature = step.signature ?? signer.signature()
        const delta = { type: 'signature_delta', signature } as const
        return toFrame({ type: 'content_block_delta', index, delta }) + stop
      }
    }
  }

  return {
    contentType: 'text/event-stream',
    start: (usage) =>
      toFrame({
        type: 'message_start',
        message: {
          id: `msg_${facts.requestId}`,
          type: 'message',
          role: 'assistant',
          model: facts.model,
          content: [],
          stop_reason: null,
          stop_sequence: null,
          usage: toMessagesUsage({ ...usage, completionTokens: 0, reasoningTokens: undefined }),
        },
      }) + toFrame({ type: 'ping' }),
    event(event) {
      if (event.type === 'usage') {
        const { input_tokens, ...usage } = toMessagesUsage(event.usage)
        // Clients overwrite the figures of the start with these; a 0 would lose known figures.
        const input = event.usage.promptTokens > 0 ? { input_tokens } : {}
        return toFrame({ type: 'message_delta', delta: { ...stop }, usage: { ...input, ...usage } })
      }
      if (event.type === 'text-delta') watch.push(event.text)
      if (event.type === 'choice-end') stop = watch.end(event.finishReason, event.stopText)
      return order.event(event).map(encode).join('')
    },
    end: () => toFrame({ type: 'message_stop' }),
    error: (error) => `event: error\ndata: ${JSON.stringify(errorBody(toModelFailure(error), 'messages'))}\n\n`,
  }
}

function toFrame(event: MessagesEvent): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

type StartedBlock = Extract<MessagesEvent, { type: 'content_block_start' }>['content_block']

function emptyBlock(block: BlockKind): StartedBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' }
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' }
    case 'redacted_thinking':
    // Clients that do not know these blocks read no pieces of them: they are whole from the start.
    case 'mcp_tool_use':
    case 'mcp_tool_result':
      return block
    case 'tool_use':
      return { ...block, input: {} }
  }
}

/** Field of a delta that has the piece, by the type of its block. */
const DELTAS: Readonly<Record<BlockKind['type'], string>> = {
  text: '"type":"text_delta","text"',
  thinking: '"type":"thinking_delta","thinking"',
  redacted_thinking: '',
  mcp_tool_use: '',
  mcp_tool_result: '',
  tool_use: '"type":"input_json_delta","partial_json"',
}

/** Encodes the event of a piece. Most events are pieces, so only the text is serialised. */
function toPieceFrame(index: number, type: BlockKind['type'], text: string): string {
  const delta = `{${DELTAS[type]}:${JSON.stringify(text)}}`
  return `event: content_block_delta\ndata: {"type":"content_block_delta","index":${index},"delta":${delta}}\n\n`
}
