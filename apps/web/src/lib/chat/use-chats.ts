import { useMemo } from 'react'
import { useSession } from '../session.ts'
import { ChatStore, type ChatView } from './chat-store.ts'
import { findChatOwner } from './database.ts'
import { createObservable, useObservable } from './observable.ts'
import type { LiveAnswer } from './run-answer.ts'
import type { ChatEntry } from './types.ts'

const stores = new Map<string, ChatStore>()
let lastOwner: string | undefined

/** The chats of the viewer. Chats of others in this browser stay apart. */
export function useChatStore(): ChatStore {
  const { viewer } = useSession()
  // after signing out, a page that is about to be left keeps showing its content
  const key = viewer.kind === 'anonymous' && lastOwner !== undefined ? lastOwner : findChatOwner(viewer)
  lastOwner = key
  return useMemo(() => {
    const known = stores.get(key)
    if (known !== undefined) return known
    const store = new ChatStore(key)
    stores.set(key, store)
    return store
  }, [key])
}

/** The list of chats, newest first; undefined while it is read. */
export function useChatEntries(): readonly ChatEntry[] | undefined {
  return useObservable(useChatStore().entries)
}

/** A chat with its messages. */
export function useChat(chatId: string): ChatView {
  const store = useChatStore()
  return useObservable(store.open(chatId))
}

/** The chats whose answers are being written. */
export function useRunningChats(): ReadonlySet<string> {
  return useObservable(useChatStore().running)
}

/** The answer that is being written in a chat; it changes with every frame. @param isWatched whether to look at all */
export function useLiveAnswer(chatId: string, isWatched: boolean): LiveAnswer | undefined {
  const store = useChatStore()
  // a run that begins or ends has another state to watch
  useRunningChats()
  return useObservable(isWatched ? store.watchLive(chatId) : NOTHING)
}

const NOTHING = createObservable<LiveAnswer | undefined>(undefined)
