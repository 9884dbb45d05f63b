/** Time of work between two turns of the event loop. */
const SLICE_MS = 5

/** Gives other work its turn between steps. */
export interface Slices {
  /** Waits for the next turn of the event loop if the slice is used up. @throws the signal's reason once it is aborted */
  breathe(): Promise<void>
}

/** Divides long work into slices of about {@link SLICE_MS}. Waiting for input begins no new slice. */
export function createSlices(signal?: AbortSignal): Slices {
  let start = performance.now()
  return {
    async breathe() {
      signal?.throwIfAborted()
      if (performance.now() - start < SLICE_MS) return
      await new Promise<void>((resolve) => {
        setImmediate(resolve)
      })
      signal?.throwIfAborted()
      start = performance.now()
    },
  }
}
