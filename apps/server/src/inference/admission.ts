/** Gives a slot back; more than once does nothing. */
export type Release = () => void

/** Counts what runs at once against a limit; never queues. */
export interface SlotCounter {
  /** A slot, or undefined when all are taken. A limit of 0 means none. */
  take(limit: number): Release | undefined
  readonly taken: number
}

/** Makes a counter of slots. */
export function createSlotCounter(): SlotCounter {
  return new Counter()
}

class Counter implements SlotCounter {
  taken = 0

  take(limit: number): Release | undefined {
    if (limit > 0 && this.taken >= limit) return undefined
    this.taken += 1
    let held = true
    return () => {
      if (!held) return
      held = false
      this.taken -= 1
    }
  }
}

/** Slots of each model by name. A changed limit holds from the next take. */
export interface ModelSlots {
  take(model: string, limit: number): Release | undefined
  taken(model: string): number
}

/** Models that are remembered although nothing of theirs runs. */
const MAX_IDLE = 4096

function dropIdle(counters: Map<string, SlotCounter>): void {
  for (const [model, { taken }] of counters) if (taken === 0) counters.delete(model)
}

/** Makes the slots of all models. */
export function createModelSlots(): ModelSlots {
  const counters = new Map<string, SlotCounter>()
  return {
    taken: (model) => counters.get(model)?.taken ?? 0,
    take(model, limit) {
      const counter = counters.get(model) ?? createSlotCounter()
      const release = counter.take(limit)
      if (release === undefined || counters.has(model)) return release
      if (counters.size >= MAX_IDLE) dropIdle(counters)
      counters.set(model, counter)
      return release
    },
  }
}
