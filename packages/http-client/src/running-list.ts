/** Something that knows its place in a {@link RunningList}. */
export interface Listed {
  /** Owned by the list; -1 outside of it. */
  place: number
}

/**
 * What is under way, in no order. An array and not a `Set`: each time a set that is added to and deleted from for ever
 * grows a new table, the old ones, already among V8's old objects, keep all that was in them until the next full
 * collection, whole requests with their replies. That cost more time than the requests themselves.
 */
export class RunningList<T extends Listed> {
  readonly #items: T[] = []

  get size(): number {
    return this.#items.length
  }

  add(item: T): void {
    item.place = this.#items.length
    this.#items.push(item)
  }

  delete(item: T): void {
    const last = this.#items.at(-1)
    if (item.place < 0 || last === undefined) return
    this.#items[item.place] = last
    last.place = item.place
    this.#items.pop()
    item.place = -1
  }

  /** The items as they are now. */
  snapshot(): readonly T[] {
    return [...this.#items]
  }
}
