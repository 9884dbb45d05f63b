/** The newest events of a feed, each with a sequence number. The first event has number 0. */
export interface EventWindow<Event> {
  /** Number of the oldest event that is kept. */
  readonly first: number
  /** Number that the next event gets. */
  readonly next: number
  /** Size of the kept events together. */
  readonly size: number
  append(event: Event): void
  /** Kept events from a number on, oldest first. */
  from(sequence: number): readonly Event[]
  /** Drops every event; numbers go on. */
  clear(): void
}

/** Limits of a window; above them the oldest events are dropped. */
export interface WindowLimits<Event> {
  readonly maxEvents: number
  /** @default no limit */
  readonly maxSize?: number | undefined
  /** @default every event counts 0 */
  readonly sizeOf?: ((event: Event) => number) | undefined
}

/** Creates an empty window. */
export function createEventWindow<Event>(limits: WindowLimits<Event>): EventWindow<Event> {
  const { maxEvents, maxSize = Number.POSITIVE_INFINITY, sizeOf = () => 0 } = limits
  let events: Event[] = []
  /** Index of the oldest kept event. */
  let start = 0
  let first = 0
  let size = 0

  function dropOldest(): void {
    const [oldest] = events.slice(start, start + 1)
    if (oldest !== undefined) size -= sizeOf(oldest)
    start += 1
    first += 1
    // Rare compaction keeps the cost of an event constant in a flood.
    if (start <= maxEvents) return
    events = events.slice(start)
    start = 0
  }

  return {
    get first() {
      return first
    },
    get next() {
      return first + events.length - start
    },
    get size() {
      return size
    },
    append(event) {
      events.push(event)
      size += sizeOf(event)
      while (events.length - start > maxEvents || size > maxSize) dropOldest()
    },
    from: (sequence) => events.slice(start + Math.max(0, sequence - first)),
    clear() {
      first += events.length - start
      events = []
      start = 0
      size = 0
    },
  }
}
