import { repeat } from '../concurrency/repeat.ts'
import type { Clock, Logger } from '../ports.ts'
import type { ConversationTokens } from './conversation-tokens.ts'

const EVERY_MS = 3_600_000

/** Removes every hour the conversations that have ended. While the database is away it says so once and keeps trying. */
export function tidyConversations(
  tokens: Pick<ConversationTokens, 'tidy'>,
  { clock, logger }: { readonly clock: Pick<Clock, 'sleep'>; readonly logger: Pick<Logger, 'warn'> },
): { close(): Promise<void> } {
  const ending = new AbortController()
  let isFailing = false
  const work = repeat(
    EVERY_MS,
    async () => {
      try {
        await tokens.tidy()
        isFailing = false
      } catch (err) {
        if (!isFailing) logger.warn({ err }, 'masked values of conversations that have ended could not be removed')
        isFailing = true
      }
    },
    { clock, signal: ending.signal },
  )
  return {
    async close() {
      ending.abort()
      await work
    },
  }
}
