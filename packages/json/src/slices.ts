/** Default time of work between two turns of the event loop. */
const DEFAULT_SLICE_MS = 5

/** Time that work may hold the event loop, and the signal that ends it. */
export interface SliceOptions {
  /** Ends the work at the next slice; its reason is thrown. */
  readonly signal?: Pick<AbortSignal, 'throwIfAborted'> | undefined
  /** Milliseconds of work before the event loop gets its turn. @default 5 */
  readonly sliceMs?: number | undefined
  /** Gives other work its turn. @default a timer of 0 ms */
  readonly yieldControl?: (() => Promise<void>) | undefined
}

/** Calls `step` until it returns true, giving the event loop its turn whenever a slice is used up. */
export async function runInSlices(step: () => boolean, options: SliceOptions = {}): Promise<void> {
  const { signal, sliceMs = DEFAULT_SLICE_MS, yieldControl = nextTimer } = options
  signal?.throwIfAborted()
  let sliceStart = performance.now()
  while (!step()) {
    if (performance.now() - sliceStart < sliceMs) continue
    await yieldControl()
    signal?.throwIfAborted()
    sliceStart = performance.now()
  }
}

function nextTimer(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
