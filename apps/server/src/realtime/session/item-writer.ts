import { SvcError } from '@svc/errors'
import type { ServerEvent } from '../ports.ts'
import { type Conversation, createItem, type Item, type ItemFields } from './conversation.ts'

/** Place of an item in the events of its response. */
export interface ItemPlace {
  readonly response_id: string
  readonly item_id: string
  readonly output_index: number
}

/** An item that has begun. */
export interface BegunItem {
  readonly item: Item
  readonly place: ItemPlace
}

/** Begins and ends the items of a response. */
export interface ItemWriter {
  readonly items: readonly Item[]
  /** Sends an event without a wait. */
  tell(event: ServerEvent): void
  /** Sends an event; waits while the client is behind. Nothing is sent after {@link closeAll}. */
  send(event: ServerEvent): Promise<void>
  /** Begins an item. @throws {SvcError} `cancelled` after {@link closeAll} */
  begin(fields: ItemFields, id?: string): BegunItem
  /** Has an item ended, at the latest with its response. */
  keepOpen(item: Item, close: () => void): void
  isOpen(item: Item): boolean
  finish(begun: BegunItem, changes: Readonly<Record<string, unknown>>): void
  /** Ends the items that have not ended. */
  closeAll(): void
}

/** Parts of {@link createItemWriter}. */
export interface ItemWriterParts {
  readonly responseId: string
  readonly emit: (event: ServerEvent) => Promise<void>
  /** Absent for a response beside the conversation. */
  readonly conversation: Conversation | undefined
}

/** Creates the writer of a response. */
export function createItemWriter({ responseId, emit, conversation }: ItemWriterParts): ItemWriter {
  const items: Item[] = []
  const open = new Map<Item, () => void>()
  let isClosed = false
  const tell = (event: ServerEvent): void => void emit(event)

  return {
    items,
    tell,
    send: (event) => (isClosed ? Promise.resolve() : emit(event)),
    begin(fields, id) {
      if (isClosed) throw new SvcError('cancelled', 'the response has ended', { code: 'cancelled' })
      const item = createItem(fields, id)
      const outputIndex = items.push(item) - 1
      const place = { response_id: responseId, item_id: item.id, output_index: outputIndex }
      const response = { response_id: responseId, output_index: outputIndex }
      tell({ type: 'response.output_item.added', ...response, item: item.fields })
      if (conversation !== undefined) {
        const previous = conversation.append(item)
        tell({ type: 'conversation.item.added', previous_item_id: previous, item: item.fields })
      }
      return { item, place }
    },
    keepOpen: (item, close) => void open.set(item, close),
    isOpen: (item) => open.has(item),
    finish({ item, place }, changes) {
      open.delete(item)
      item.fields = { ...item.fields, ...changes }
      if (conversation !== undefined) {
        conversation.resize(item)
        const previous = conversation.previousId(item)
        tell({ type: 'conversation.item.done', previous_item_id: previous, item: item.fields })
      }
      const response = { response_id: responseId, output_index: place.output_index }
      tell({ type: 'response.output_item.done', ...response, item: item.fields })
    },
    closeAll() {
      for (const close of [...open.values()]) close()
      isClosed = true
    },
  }
}
