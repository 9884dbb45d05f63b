import type { ReasoningSettings } from '../settings.ts'
import { createReasoningSplitter, type ReasoningDelta, type ReplyStart } from './reasoning-splitter.ts'
import { listTagPairs } from './tag-pairs.ts'

/** Context for splitting a reply. */
export interface SplitOptions extends ReplyStart {
  readonly settings: ReasoningSettings
}

/**
 * Splits a complete reply into reasoning and answer. It differs from the splitter of streams in one point: a prefilled
 * start token counts only when its end tag occurs, so a plain answer is not taken for reasoning.
 */
export function splitReasoning(reply: string, options: SplitOptions): ReasoningDelta {
  const { settings, promptEndsInside } = options
  const pair = listTagPairs(settings).find(({ start }) => start === promptEndsInside)
  const isClosed = pair !== undefined && reply.includes(pair.end)
  const splitter = createReasoningSplitter(settings, isClosed ? { promptEndsInside } : {})
  const first = splitter.push(reply)
  const last = splitter.end()
  return { reasoning: first.reasoning + last.reasoning, text: first.text + last.text }
}
