import { type DBSchema, deleteDB, type IDBPDatabase, openDB } from 'idb'
import { basePath } from '../base-path.ts'
import type { Viewer } from '../session.ts'
import type { ChatEntry, Message } from './types.ts'

interface ChatSchema extends DBSchema {
  chats: { key: string; value: ChatEntry }
  messages: { key: string; value: Message; indexes: { chat: string } }
}

/** A write that the browser refused, mostly because its disk share is used up. */
export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly isFull: boolean

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.isFull = cause instanceof DOMException && cause.name === 'QuotaExceededError'
  }
}

/** The chats of one viewer in this browser. The list is an index; messages are read when a chat is opened. */
export interface ChatDatabase {
  readonly listEntries: () => Promise<ChatEntry[]>
  readonly readMessages: (chatId: string) => Promise<Message[]>
  /** @throws StorageError */
  readonly write: (entry: ChatEntry, messages: readonly Message[]) => Promise<void>
  /** Writes a single message, while it streams. @throws StorageError */
  readonly writeMessage: (message: Message) => Promise<void>
  /** @throws StorageError */
  readonly removeMessages: (entry: ChatEntry, ids: Iterable<string>) => Promise<void>
  readonly removeChat: (chatId: string) => Promise<void>
}

/** The name of the database: chats of another viewer, or of another server under the same host, stay apart. */
export function toDatabaseName(viewerId: string): string {
  return `svc-chats:${basePath}:${viewerId}`
}

/** Owner of a viewer's chats. Without accounts, everybody who signs in the same way shares one owner. */
export function findChatOwner({ id, kind }: Viewer): string {
  return id === '' ? kind : id
}

/** Deletes the chats that this browser keeps for a viewer. Pages that have them open let go of them. */
export async function deleteChatDatabase(viewer: Viewer): Promise<void> {
  await deleteDB(toDatabaseName(findChatOwner(viewer)))
}

/** Opens the chats of a viewer. @throws StorageError where the browser has no database, as in some private windows */
export async function openChatDatabase(viewerId: string): Promise<ChatDatabase> {
  let database: IDBPDatabase<ChatSchema>
  try {
    database = await openDB<ChatSchema>(toDatabaseName(viewerId), 1, {
      upgrade(created) {
        created.createObjectStore('chats', { keyPath: 'id' })
        created.createObjectStore('messages', { keyPath: 'id' }).createIndex('chat', 'chatId')
      },
      blocking: () => database.close(),
    })
  } catch (cause) {
    throw new StorageError(cause)
  }
  return {
    listEntries: () => database.getAll('chats'),
    readMessages: (chatId) => database.getAllFromIndex('messages', 'chat', chatId),
    write: (entry, messages) =>
      guard(async () => {
        const work = database.transaction(['chats', 'messages'], 'readwrite')
        void work.objectStore('chats').put(entry)
        for (const message of messages) void work.objectStore('messages').put(message)
        await work.done
      }),
    writeMessage: (message) => guard(async () => void (await database.put('messages', message))),
    removeMessages: (entry, ids) =>
      guard(async () => {
        const work = database.transaction(['chats', 'messages'], 'readwrite')
        void work.objectStore('chats').put(entry)
        for (const id of ids) void work.objectStore('messages').delete(id)
        await work.done
      }),
    async removeChat(chatId) {
      const work = database.transaction(['chats', 'messages'], 'readwrite')
      void work.objectStore('chats').delete(chatId)
      const keys = await work.objectStore('messages').index('chat').getAllKeys(chatId)
      for (const key of keys) void work.objectStore('messages').delete(key)
      await work.done
    },
  }
}

async function guard(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (cause) {
    throw new StorageError(cause)
  }
}
