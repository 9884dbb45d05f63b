/** An item that knows its place in a {@link RunningList}. */
export interface Listed {
  /** Owned by the list; -1 outside of it. */
  place: number
}

/**
 * The running items, in no order. An array and not a `Set`: a set with constant additions and deletions keeps
 * allocating new tables. The old tables, already among V8's old objects, keep their content (whole requests with
 * replies) alive until the next full collection. That cost more time than the requests themselves.
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
