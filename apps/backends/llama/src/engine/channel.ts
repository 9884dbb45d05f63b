/** A bounded queue between one writer and one reader. */
export interface Channel<Item> {
  /** Adds an item; waits while the queue is full. Drops items after {@link end}. */
  push(item: Item): Promise<void>
  /** Ends the queue; the reader gets the remaining items, then the error, if any. */
  end(error?: unknown): void
  /** Items in order. For one reader. */
  items(): AsyncGenerator<Item, void, void>
}

/** Creates a queue of at most `capacity` items. */
export function createChannel<Item>(capacity: number): Channel<Item> {
  let line: Item[] = []
  let ended = false
  let failure: unknown
  let wakeReader = (): void => {}
  let wakeWriter = (): void => {}

  return {
    push: async (item) => {
      while (line.length >= capacity && !ended) {
        await new Promise<void>((resolve) => {
          wakeWriter = resolve
        })
      }
      if (ended) return
      line.push(item)
      wakeReader()
    },
    end: (error) => {
      if (ended) return
      ended = true
      failure = error
      wakeReader()
      wakeWriter()
    },
    items: async function* () {
      while (true) {
        const taken = line
        line = []
        wakeWriter()
        for (const item of taken) yield item
        if (line.length > 0) continue
        if (ended) break
        await new Promise<void>((resolve) => {
          // The writer continues first: an answer is sent while the engine makes the next piece.
          wakeReader = () => setImmediate(resolve)
        })
      }
      if (failure !== undefined) throw failure
    },
  }
}
