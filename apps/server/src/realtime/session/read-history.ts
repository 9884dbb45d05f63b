import type { PipelineStages, StageCall, StageMessage } from '../ports.ts'
import type { Item } from './conversation.ts'
import { toMessages } from './history.ts'

/** Writes items as messages for the model. */
export type ReadHistory = (items: readonly Item[], call: StageCall) => Promise<readonly StageMessage[]>

/**
 * Creates the history of a session. Where its pipeline shortens conversations, a shortened one stays: the items that it
 * stands for are not read again.
 */
export function createHistory(stages: Pick<PipelineStages, 'facts' | 'compact'>): ReadHistory {
  let short: readonly StageMessage[] = []
  /** The items that {@link short} stands for. */
  let known = new WeakSet<Item>()

  return async (items, call) => {
    const { maxHistoryItems } = stages.facts
    if (maxHistoryItems > 0) return toMessages(items, maxHistoryItems)
    const isOwn = items.some((item) => known.has(item))
    const messages = isOwn ? [...short, ...toMessages(items.filter((item) => !known.has(item)))] : toMessages(items)
    const compacted = await stages.compact(messages, call)
    if (compacted === messages) return messages
    short = compacted
    known = new WeakSet(items)
    return compacted
  }
}
