import { badEvent } from './event-error.ts'
import { newId } from './ids.ts'
import type { SessionMemory } from './session-memory.ts'

/** A field of an item as the wire has it. */
export type ItemFields = { readonly type: string; readonly [field: string]: unknown }

/** A part of the content of a message as the wire has it. */
export interface ItemPart {
  readonly type: string
  readonly text?: string | undefined
  readonly transcript?: string | null | undefined
  readonly image_url?: string | undefined
}

/** Words with the stretch of speech that says them, in milliseconds of the item's sound. */
export interface SpokenText {
  readonly text: string
  readonly startMs: number
  readonly endMs: number
}

/** An item of a conversation. */
export interface Item {
  readonly id: string
  fields: ItemFields
  /** Resolves when speech of the item is written down; rejects with the failure. */
  heard?: Promise<void> | undefined
  /** Speech of a person, at the heard rate, while a model still needs it. */
  samples?: Float32Array | undefined
  /** Gives back the memory of {@link samples}. */
  freeSamples?: (() => void) | undefined
  /** The moment when its speech had been heard, monotonic milliseconds. */
  saidAt?: number | undefined
  /** Who has spoken, where the pipeline knows it. */
  speaker?: { readonly name: string | undefined } | undefined
  /** A turn that was found by its sound: noise that was taken for speech gets no answer. */
  wasDetected?: boolean | undefined
  /** What the model has said in it. */
  spoken?: readonly SpokenText[] | undefined
  spokenMs?: number | undefined
  bytes: number
}

/** Bounds of a conversation. */
export interface ConversationLimits {
  readonly maxItems: number
  readonly maxBytes: number
}

/** The items of a session, in order. */
export interface Conversation {
  readonly id: string
  readonly items: readonly Item[]
  /** @throws {SvcError} `invalid_item_id` */
  get(id: string): Item
  find(id: string): Item | undefined
  /**
   * Puts an item after another one; `root` puts it first.
   *
   * @returns the id of the item before it
   * @throws {SvcError} `invalid_item_id`, `conversation_full`
   */
  insert(item: Item, previousId: string | undefined): string | null
  /** Puts an item last. One of the same id goes, and the oldest where there is no room. @returns the id of the item before it */
  append(item: Item): string | null
  /** The id of the item before one. */
  previousId(item: Item): string | null
  /** Counts the size of an item anew. */
  resize(item: Item): void
  remove(id: string): void
}

/** Creates an item. Its id is that of its fields, or a new one. */
export function createItem(fields: ItemFields, id: string = newId('item')): Item {
  const whole = { ...fields, id, object: 'realtime.item' }
  return { id, fields: whole, bytes: sizeOf(whole) }
}

/** Forgets the speech of an item. */
export function dropSamples(item: Item): void {
  item.samples = undefined
  item.freeSamples?.()
  item.freeSamples = undefined
}

/** Creates an empty conversation. @param memory counts its items with those of all other sessions */
export function createConversation({ maxItems, maxBytes }: ConversationLimits, memory: SessionMemory): Conversation {
  const items: Item[] = []
  const known = new Map<string, Item>()
  let bytes = 0
  let counted = 0

  /** Counts what is there now. @returns false where there is no room */
  function settle(): boolean {
    const more = bytes - counted
    if (more > 0 && !memory.add(more)) return false
    if (more < 0) memory.subtract(-more)
    counted = bytes
    return true
  }
  function remove(id: string): void {
    const item = known.get(id)
    if (item === undefined) return
    known.delete(id)
    items.splice(items.indexOf(item), 1)
    bytes -= item.bytes
    settle()
    dropSamples(item)
  }
  function put(item: Item, index: number): string | null {
    items.splice(index, 0, item)
    known.set(item.id, item)
    bytes += item.bytes
    return items[index - 1]?.id ?? null
  }
  const isFull = (item: Item): boolean => items.length >= maxItems || bytes + item.bytes > maxBytes
  function findPlace(previousId: string | undefined): number {
    if (previousId === 'root') return 0
    if (previousId === undefined) return items.length
    const previous = known.get(previousId)
    if (previous !== undefined) return items.indexOf(previous) + 1
    throw badEvent('invalid_item_id', 'the conversation has no item with this id', 'previous_item_id')
  }
  function get(id: string): Item {
    const item = known.get(id)
    if (item === undefined) throw badEvent('invalid_item_id', 'the conversation has no item with this id', 'item_id')
    return item
  }

  return {
    id: newId('conv'),
    items,
    get,
    find: (id) => known.get(id),
    insert(item, previousId) {
      if (known.has(item.id)) throw badEvent('invalid_item_id', 'the conversation has this item already', 'item.id')
      if (isFull(item)) throw full()
      const previous = put(item, findPlace(previousId))
      if (settle()) return previous
      remove(item.id)
      throw full()
    },
    append(item) {
      remove(item.id)
      while (items.length > 0 && isFull(item)) remove(items[0]?.id ?? '')
      const previous = put(item, items.length)
      while (!settle() && items.length > 1) remove(items[0]?.id ?? '')
      return items.length === 1 ? null : previous
    },
    previousId: (item) => items[items.indexOf(item) - 1]?.id ?? null,
    resize(item) {
      const size = sizeOf(item.fields)
      if (known.get(item.id) === item) bytes += size - item.bytes
      item.bytes = size
      settle()
    },
    remove,
  }
}

function full() {
  return badEvent('conversation_full', 'the conversation has no room for another item: delete some')
}

/** The size of an item in memory: two bytes a character at most. */
function sizeOf(fields: ItemFields): number {
  return 2 * JSON.stringify(fields).length
}
