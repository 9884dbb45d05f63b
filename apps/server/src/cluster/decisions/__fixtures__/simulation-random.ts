/** A source of numbers that a seed repeats. */
export interface RandomSource {
  /** 0 to 1, without 1. */
  next(): number
  /** A whole number from 0 to below the bound. */
  below(bound: number): number
  /** Exponentially distributed. */
  exponential(mean: number): number
}

/** Creates a source (mulberry32). */
export function createRandom(seed: number): RandomSource {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return {
    next,
    below: (bound) => Math.floor(next() * bound),
    exponential: (mean) => -Math.log(1 - next()) * mean,
  }
}

/** A hash of two whole numbers with 53 bits, like one window of a chain. */
export function mix(a: number, b: number): number {
  let low = Math.imul(a ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(b + 0x7f4a7c15, 0xc2b2ae35)
  low = Math.imul(low ^ (low >>> 15), 0x2c1b3c6d)
  let high = Math.imul(b ^ 0x165667b1, 0x27d4eb2f) ^ Math.imul(a + 0x3c6ef372, 0x9e3779b1)
  high = Math.imul(high ^ (high >>> 13), 0x297a2d39)
  return ((high ^ (high >>> 16)) >>> 0) * 2 ** 21 + ((low ^ (low >>> 12)) >>> 11)
}

/** Events in the order of their times. */
export interface EventQueue {
  add(at: number, run: () => void): void
  /** Runs all events, also those that events add. */
  drain(onTime: (now: number) => void): void
}

interface Event {
  readonly at: number
  readonly order: number
  readonly run: () => void
}

const isBefore = (a: Event, b: Event): boolean => a.at < b.at || (a.at === b.at && a.order < b.order)

function siftUp(heap: Event[], event: Event): void {
  let index = heap.length
  while (index > 0) {
    const parent = (index - 1) >> 1
    const above = heap[parent]
    if (!above || isBefore(above, event)) break
    heap[index] = above
    index = parent
  }
  heap[index] = event
}

function siftDown(heap: Event[], event: Event): void {
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    const [left, right] = [heap[child], heap[child + 1]]
    if (!left) break
    if (right && isBefore(right, left)) child += 1
    const smaller = heap[child] ?? left
    if (isBefore(event, smaller)) break
    heap[index] = smaller
    index = child
  }
  heap[index] = event
}

export function createEventQueue(): EventQueue {
  const heap: Event[] = []
  let count = 0
  return {
    add: (at, run) => siftUp(heap, { at, order: count++, run }),
    drain(onTime) {
      for (let first = heap[0]; first; first = heap[0]) {
        const last = heap.pop()
        if (last && heap.length > 0) siftDown(heap, last)
        onTime(first.at)
        first.run()
      }
    },
  }
}
