import type { ResponseEvent, ResponseOutputItem } from '@svc/wire/responses'

/** An event before it gets its number. */
export type Unnumbered = ResponseEvent extends infer Event
  ? Event extends ResponseEvent
    ? Omit<Event, 'sequence_number'> & { readonly type: Event['type'] }
    : never
  : never

/** A growing item with its place in the output. */
export interface Open<Item> {
  readonly index: number
  readonly item: Item
  text: string
}

/** The items of an output in the order of their starts. */
export interface ItemList {
  readonly items: readonly ResponseOutputItem[]
  open<Item extends ResponseOutputItem>(item: Item): Open<Item>
  /** Replaces an open item by the finished one. */
  close<Item extends ResponseOutputItem>(open: Open<Item>, item: Item): Unnumbered
}

/** Creates an empty list. */
export function createItemList(): ItemList {
  const items: ResponseOutputItem[] = []
  return {
    items,
    open(item) {
      items.push(item)
      return { index: items.length - 1, item, text: '' }
    },
    close({ index }, item) {
      items[index] = item
      return { type: 'response.output_item.done', output_index: index, item }
    },
  }
}
