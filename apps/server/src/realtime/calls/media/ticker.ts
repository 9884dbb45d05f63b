/** Milliseconds between two ticks: a frame of sound. */
const TICK_MS = 20

/** Calls its listeners every 20 ms. One timer serves all calls of the process. */
export interface Ticker {
  /** @returns a function that ends the calls. A listener that throws is not called again. */
  add(listener: (now: number) => void): () => void
}

/** Parts of {@link createTicker}. */
export interface TickerOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now: () => number
  /** Told of a listener that threw. */
  readonly onError: (error: unknown) => void
}

/** Creates a ticker. It has no timer while nobody listens, and late ticks do not move the later ones. */
export function createTicker({ now, onError }: TickerOptions): Ticker {
  const listeners = new Set<(now: number) => void>()
  let timer: NodeJS.Timeout | undefined
  let dueAt = 0

  function tick(): void {
    const time = now()
    for (const listener of [...listeners]) {
      try {
        listener(time)
      } catch (error) {
        listeners.delete(listener)
        onError(error)
      }
    }
    timer = undefined
    if (listeners.size > 0) arm()
  }

  function arm(): void {
    const time = now()
    // Ticks that were missed are left out: their listeners know the time.
    dueAt += TICK_MS * Math.max(1, Math.ceil((time - dueAt) / TICK_MS))
    timer = setTimeout(tick, Math.max(0, dueAt - time))
  }

  return {
    add(listener) {
      listeners.add(listener)
      if (timer === undefined) {
        dueAt = now()
        arm()
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearTimeout(timer)
        timer = undefined
      }
    },
  }
}
