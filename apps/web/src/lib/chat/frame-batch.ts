/** A hidden page draws no frames; its state moves on this often. */
const HIDDEN_MS = 250

/**
 * Calls back once for any number of requests, at the next animation frame.
 *
 * @returns `request`, and `flush` for calling back at once
 */
export function createFrameBatch(onFrame: () => void): { readonly request: () => void; readonly flush: () => void } {
  let frame: number | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  const run = () => {
    if (frame !== undefined) cancelAnimationFrame(frame)
    clearTimeout(timer)
    frame = undefined
    timer = undefined
    onFrame()
  }
  return {
    request() {
      if (timer !== undefined) return
      // the timer runs where no frame comes, as when the page becomes hidden in between
      timer = setTimeout(run, HIDDEN_MS)
      if (document.visibilityState === 'visible') frame = requestAnimationFrame(run)
    },
    flush: run,
  }
}
