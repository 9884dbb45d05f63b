import { countDays } from '../../lib/chat/age.ts'
import type { ChatEntry } from '../../lib/chat/types.ts'

/** A part of the list of chats. */
export type AgeGroup = 'today' | 'yesterday' | 'week' | 'older'

/** Groups chats by the day of their last message; empty groups are left out. */
export function groupByAge(
  entries: readonly ChatEntry[],
  now = Date.now(),
): readonly (readonly [AgeGroup, readonly ChatEntry[]])[] {
  const groups: Record<AgeGroup, ChatEntry[]> = { today: [], yesterday: [], week: [], older: [] }
  for (const entry of entries) {
    const days = countDays(entry.updatedAt, now)
    groups[days <= 0 ? 'today' : days === 1 ? 'yesterday' : days <= 7 ? 'week' : 'older'].push(entry)
  }
  return (Object.entries(groups) as [AgeGroup, ChatEntry[]][]).filter(([, members]) => members.length > 0)
}
