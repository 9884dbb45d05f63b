import { SvcError } from '@svc/errors'
import { modelUnloading } from './errors.ts'

/** One slot, held by one caller. */
export interface SlotLease<Slot> {
  readonly slot: Slot
  /** Place of the slot, from 0. */
  readonly index: number
  /** Gives the slot to the next waiter. Further calls do nothing. */
  release(): void
}

/** A fixed number of slots and a bounded queue of waiters, served first come first served. */
export interface SlotPool<Slot> {
  readonly slots: readonly Slot[]
  /** Slots in use. */
  readonly busy: number
  /** Callers in the queue. */
  readonly waiting: number
  /**
   * Waits for a slot; a caller whose signal aborts leaves the queue. Where several are free, `choose` returns the
   * position of one among them; they are ordered by the time of their return, the oldest first. @default the latest
   * @throws `queue_full` (rate_limited) when the queue is full, `model_unloading` (unavailable) when the pool is closed
   */
  acquire(options: {
    readonly signal: AbortSignal
    readonly choose?: ((free: readonly Slot[]) => number) | undefined
    /** The index of the only acceptable slot. */
    readonly only?: number | undefined
  }): Promise<SlotLease<Slot>>
  /** Refuses all waiters and all later callers, then waits until all slots are back. */
  close(): Promise<void>
}

interface Place<Slot> {
  readonly slot: Slot
  readonly index: number
}

interface Waiter<Slot> {
  readonly only: number | undefined
  admit(place: Place<Slot>): void
  refuse(reason: unknown): void
}

/**
 * Creates a pool of an engine's contexts, sequences or processes. At most `maxWaiting` callers wait for one of them;
 * further callers are refused.
 *
 * @example
 * const pool = createSlotPool(contexts, { maxWaiting: 128 })
 * const lease = await pool.acquire({ signal })
 * try {
 *   return await lease.slot.run(input)
 * } finally {
 *   lease.release()
 * }
 */
export function createSlotPool<Slot>(slots: readonly Slot[], options: { readonly maxWaiting: number }): SlotPool<Slot> {
  // The most recently returned slot is lent first, because its memory is warm.
  const free: Place<Slot>[] = slots.map((slot, index) => ({ slot, index })).reverse()
  const line = new Set<Waiter<Slot>>()
  /** Settles when the pool is closed and all slots are back. */
  let closed: Promise<void> | undefined
  let onAllBack = (): void => {}

  const takeBack = (place: Place<Slot>): void => {
    const next = [...line].find(({ only }) => only === undefined || only === place.index)
    if (next === undefined) free.push(place)
    else {
      line.delete(next)
      next.admit(place)
    }
    if (free.length === slots.length) onAllBack()
  }

  const takeFree = (
    choose: ((free: readonly Slot[]) => number) | undefined,
    only: number | undefined,
  ): Place<Slot> | undefined => {
    if (only !== undefined) {
      const at = free.findIndex(({ index }) => index === only)
      return at < 0 ? undefined : free.splice(at, 1)[0]
    }
    if (choose === undefined || free.length === 0) return free.pop()
    return free.splice(choose(free.map(({ slot }) => slot)), 1)[0]
  }

  const lend = (place: Place<Slot>): SlotLease<Slot> => {
    let held = true
    const release = (): void => {
      if (held) takeBack(place)
      held = false
    }
    return { ...place, release }
  }

  return {
    slots,
    get busy() {
      return slots.length - free.length
    },
    get waiting() {
      return line.size
    },
    acquire: async ({ signal, choose, only }) => {
      signal.throwIfAborted()
      if (closed !== undefined) throw modelUnloading()
      const place = takeFree(choose, only)
      if (place !== undefined) return lend(place)
      if (line.size >= options.maxWaiting) {
        throw new SvcError('rate_limited', 'too many requests wait for this model', { code: 'queue_full' })
      }
      return lend(await standInLine(line, { signal, only }))
    },
    close: () => {
      closed ??= new Promise<void>((resolve) => {
        onAllBack = resolve
      })
      for (const waiter of line) waiter.refuse(modelUnloading())
      line.clear()
      if (free.length === slots.length) onAllBack()
      return closed
    },
  }
}

function standInLine<Slot>(
  line: Set<Waiter<Slot>>,
  { signal, only }: { readonly signal: AbortSignal; readonly only: number | undefined },
): Promise<Place<Slot>> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      line.delete(waiter)
      reject(signal.reason)
    }
    const waiter: Waiter<Slot> = {
      only,
      admit: (place) => {
        signal.removeEventListener('abort', leave)
        resolve(place)
      },
      refuse: (reason) => {
        signal.removeEventListener('abort', leave)
        reject(reason)
      },
    }
    line.add(waiter)
    signal.addEventListener('abort', leave, { once: true })
  })
}
