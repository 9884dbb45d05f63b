import type { ModelSlots, Release, SlotCounter } from '../admission.ts'

/** Slots as a counter of several machines gives them: every answer is a promise, and a full limit makes requests wait. */
export interface WaitingSlots extends ModelSlots {
  readonly global: SlotCounter
  /** Number of slots that are taken. */
  readonly held: number
  /** Number of requests that wait. */
  readonly waiting: number
}

/** Creates slots of which none is taken. */
export function createWaitingSlots(): WaitingSlots {
  let held = 0
  const waiting = new Set<() => void>()
  const give = (): Release => {
    held += 1
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      held -= 1
      const [next] = waiting
      next?.()
    }
  }
  const take = async (limit: number, signal: AbortSignal): Promise<Release | undefined> => {
    await Promise.resolve()
    signal.throwIfAborted()
    if (limit === 0 || held < limit) return give()
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(serve)
        reject(signal.reason)
      }
      const serve = (): void => {
        waiting.delete(serve)
        signal.removeEventListener('abort', leave)
        resolve(give())
      }
      waiting.add(serve)
      signal.addEventListener('abort', leave)
    })
  }
  return {
    get held() {
      return held
    },
    get waiting() {
      return waiting.size
    },
    global: { take: (limit, { signal }) => take(limit, signal) },
    take: (_model, limit, { signal }) => take(limit, signal),
  }
}
