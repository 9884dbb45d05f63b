import { hashText } from '../sha256.ts'
import type { StickySettings } from './settings.ts'
import type { RequestView } from './view.ts'

const DEFAULT_TTL_SECONDS = 3_600
const DEFAULT_MAX_CONVERSATIONS = 10_000

/** The models on which conversations stay. */
export interface StickyModels {
  /** The model of a conversation; its time begins anew. */
  find(key: string): string | undefined
  set(key: string, model: string): void
}

/**
 * Keeps the models of conversations in memory.
 *
 * @param options.monotonic milliseconds since some moment
 */
export function createStickyModels(
  { ttlSeconds = DEFAULT_TTL_SECONDS, maxConversations = DEFAULT_MAX_CONVERSATIONS }: StickySettings,
  { monotonic }: { readonly monotonic: () => number },
): StickyModels {
  const kept = new Map<string, { readonly model: string; readonly until: number }>()
  const set = (key: string, model: string): void => {
    kept.delete(key)
    kept.set(key, { model, until: monotonic() + ttlSeconds * 1000 })
    const [oldest] = kept.keys()
    if (kept.size > maxConversations && oldest !== undefined) kept.delete(oldest)
  }
  return {
    set,
    find(key) {
      const entry = kept.get(key)
      if (entry === undefined) return undefined
      if (entry.until <= monotonic()) {
        kept.delete(key)
        return undefined
      }
      set(key, entry.model)
      return entry.model
    },
  }
}

/** The key of a conversation: a digest, so that no text of a prompt is kept. Undefined where nothing tells it. */
export function findConversationKey({ facts, opening }: RequestView): string | undefined {
  const { scope = '', conversation } = facts
  if (conversation !== undefined) return hashText(JSON.stringify([scope, 'id', conversation]))
  return opening === '' ? undefined : hashText(JSON.stringify([scope, 'opening', opening]))
}
