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

/** Slots of each model by name. A changed limit holds from the next take; idle models keep no entry. */
export interface ModelSlots {
  take(model: string, limit: number): Release | undefined
  taken(model: string): number
}

/** Makes the slots of all models. */
export function createModelSlots(): ModelSlots {
  const counters = new Map<string, SlotCounter>()
  return {
    taken: (model) => counters.get(model)?.taken ?? 0,
    take(model, limit) {
      const counter = counters.get(model) ?? createSlotCounter()
      const release = counter.take(limit)
      if (release === undefined) return undefined
      counters.set(model, counter)
      return () => {
        release()
        if (counter.taken === 0) counters.delete(model)
      }
    },
  }
}
