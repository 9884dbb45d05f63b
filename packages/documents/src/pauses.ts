/** Milliseconds of work between two turns of the event loop. */
const SLICE_MS = 5

/** Gives other work its turn between steps. */
export interface Pauses {
  /** Waits for the next turn of the event loop if the slice is used up. @throws the signal's reason once it is aborted */
  pause(): Promise<void>
}

/** Divides long work into slices of about 5 ms. */
export function createPauses(signal: AbortSignal): Pauses {
  let start = performance.now()
  return {
    async pause() {
      signal.throwIfAborted()
      if (performance.now() - start < SLICE_MS) return
      await new Promise<void>((resolve) => {
        setTimeout(resolve, 0)
      })
      signal.throwIfAborted()
      start = performance.now()
    },
  }
}
