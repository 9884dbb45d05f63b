import type { MessagesReply, MessagesReplyBlock } from '@svc/wire/messages'
import { NO_USAGE, type Usage } from '../../../inference/core/events.ts'
import { createSigner } from '../../../inference/engine/thought-signature.ts'
import type { ReplyCollector, ReplyFacts } from '../../../inference/replies/wire-format.ts'
import { type BlockKind, type BlockStep, createBlockOrder } from './blocks.ts'
import { toInput } from './call-input.ts'
import type { MessagesReplyOptions } from './reply-options.ts'
import { type MessageStop, watchEnd } from './stop.ts'
import { toMessagesUsage } from './usage.ts'

/** Gathers a prediction into one message, with the same blocks as a stream. */
export function collectMessage(facts: ReplyFacts, options: MessagesReplyOptions): ReplyCollector {
  const order = createBlockOrder(options)
  const watch = watchEnd(options.stopSequences)
  const blocks: { readonly block: BlockKind; readonly pieces: string[]; signature?: string | undefined }[] = []
  let stop: MessageStop = { stop_reason: 'end_turn', stop_sequence: null }
  let usage: Usage = NO_USAGE

  function take(step: BlockStep): void {
    if (step.step === 'start') blocks.push({ block: step.block, pieces: [] })
    const last = blocks.at(-1)
    if (last === undefined) return
    if (step.step === 'piece') last.pieces.push(step.text)
    if (step.step === 'stop') last.signature = step.signature
  }

  return {
    event(event) {
      if (event.type === 'usage') {
        usage = event.usage
        return
      }
      if (event.type === 'text-delta') watch.push(event.text)
      if (event.type === 'choice-end') stop = watch.end(event.finishReason, event.stopText)
      for (const step of order.event(event)) take(step)
    },
    body: (): MessagesReply => ({
      id: `msg_${facts.requestId}`,
      type: 'message',
      role: 'assistant',
      model: facts.model,
      content: blocks.map(({ block, pieces, signature }) => toBlock(block, pieces.join(''), signature)),
      ...stop,
      usage: toMessagesUsage(usage),
    }),
  }
}

function toBlock(block: BlockKind, text: string, signature: string | undefined): MessagesReplyBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text, citations: null }
    case 'thinking': {
      const signer = createSigner()
      signer.push(text)
      return { type: 'thinking', thinking: text, signature: signature ?? signer.signature() }
    }
    case 'redacted_thinking':
    case 'mcp_tool_use':
    case 'mcp_tool_result':
      return block
    case 'tool_use':
      return { ...block, input: toInput(text) }
  }
}
