import { api } from '../api-client.ts'
import { ApiError } from '../api-error.ts'
import { watchSession } from '../query-client.ts'
import { type ChatDatabase, openChatDatabase, StorageError, toDatabaseName } from './database.ts'
import { createObservable, type MutableObservable } from './observable.ts'
import type { Chat, ChatEntry, Message } from './types.ts'

/** Whether chats can be kept. `full`: the browser's disk share is used up. `absent`: there is no database. */
export interface StorageState {
  readonly kind: 'ok' | 'full' | 'failed' | 'absent'
  readonly message?: string
}

/**
 * Writes chats to the browser's disk, in order, and notifies other tabs. Chats that cannot be written stay in memory.
 */
export class ChatArchive {
  readonly entries: MutableObservable<readonly ChatEntry[] | undefined> = createObservable<
    readonly ChatEntry[] | undefined
  >(undefined)
  readonly storage = createObservable<StorageState>({ kind: 'ok' })
  readonly #database: Promise<ChatDatabase | undefined>
  readonly #channel: BroadcastChannel
  #last: Promise<void> = Promise.resolve()

  /** @param onForeignChange called with the id of a chat that another tab changed */
  constructor(viewerId: string, onForeignChange: (chatId: string) => void) {
    this.#database = this.#open(viewerId)
    this.#channel = new BroadcastChannel(toDatabaseName(viewerId))
    this.#channel.onmessage = ({ data }) => {
      void this.#readEntries()
      if (typeof data === 'string') onForeignChange(data)
    }
  }

  write(entry: ChatEntry, messages: readonly Message[]): void {
    const others = (this.entries.get() ?? []).filter(({ id }) => id !== entry.id)
    this.entries.set([entry, ...others].toSorted((left, right) => right.updatedAt - left.updatedAt))
    void this.#queue(entry.id, (database) => database.write(entry, messages))
  }

  writeMessage(message: Message): void {
    void this.#queue(message.chatId, (database) => database.writeMessage(message))
  }

  /** @param isLast whether the chat has no messages left */
  removeMessages(entry: ChatEntry, ids: Iterable<string>, isLast: boolean): void {
    if (isLast) void this.remove(entry.id)
    else void this.#queue(entry.id, (database) => database.removeMessages(entry, ids))
  }

  remove(chatId: string): Promise<void> {
    this.entries.set((this.entries.get() ?? []).filter(({ id }) => id !== chatId))
    return this.#queue(chatId, (database) => database.removeChat(chatId))
  }

  async readChat(chatId: string): Promise<Chat | undefined> {
    return (await this.readChats(new Set([chatId])))[0]
  }

  /** @param ids undefined for all chats */
  async readChats(ids?: ReadonlySet<string>): Promise<readonly Chat[]> {
    await this.#last
    const database = await this.#database
    if (database === undefined) return []
    const chats: Chat[] = []
    for (const entry of await database.listEntries()) {
      if (ids === undefined || ids.has(entry.id)) chats.push({ entry, messages: await database.readMessages(entry.id) })
    }
    return chats
  }

  /** Ends an answer that the server would continue to write. A server that is away ends it with its process. */
  cancelResponse(id: string): void {
    void api.POST('/v1/responses/{id}/cancel', { params: { path: { id } } }).catch(() => {})
  }

  reportSignedOut(): void {
    watchSession(new ApiError('The session has ended.', { status: 401 }))
  }

  async #open(viewerId: string): Promise<ChatDatabase | undefined> {
    try {
      const database = await openChatDatabase(viewerId)
      void this.#readEntries()
      return database
    } catch (error) {
      this.storage.set({ kind: 'absent', message: String(error instanceof Error ? error.message : error) })
      this.entries.set([])
      return undefined
    }
  }

  async #readEntries(): Promise<void> {
    const entries = await (await this.#database)?.listEntries()
    if (entries !== undefined) this.entries.set(entries.toSorted((left, right) => right.updatedAt - left.updatedAt))
  }

  #queue(chatId: string, work: (database: ChatDatabase) => Promise<void>): Promise<void> {
    this.#last = this.#last.then(async () => {
      const database = await this.#database
      if (database === undefined) return
      try {
        await work(database)
        this.storage.set(this.storage.get().kind === 'ok' ? this.storage.get() : { kind: 'ok' })
        this.#channel.postMessage(chatId)
      } catch (error) {
        const isFull = error instanceof StorageError && error.isFull
        this.storage.set({ kind: isFull ? 'full' : 'failed', message: error instanceof Error ? error.message : '' })
      }
    })
    return this.#last
  }
}
