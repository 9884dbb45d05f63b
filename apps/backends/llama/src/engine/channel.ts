/** A bounded line between one who writes and one who reads. */
export interface Channel<Item> {
  /** Puts an item in; waits while the line is full. Nothing is taken any more after {@link end}. */
  push(item: Item): Promise<void>
  /** No more items come; the reader gets those in the line, then the error, if any. */
  end(error?: unknown): void
  /** Items in order. For one reader. */
  items(): AsyncGenerator<Item, void, void>
}

/** A line of at most `capacity` items. */
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
          // Whoever writes goes on first: an answer is sent while the engine makes the next piece of it.
          wakeReader = () => setImmediate(resolve)
        })
      }
      if (failure !== undefined) throw failure
    },
  }
}
