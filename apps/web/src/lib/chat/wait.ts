/** Longest time of a timer. Browsers run a longer one at once, because its milliseconds are a number of 32 bits. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Waits, also longer than a timer can. @returns false when it was called off */
export function wait(delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const until = performance.now() + delayMs
    let timer: ReturnType<typeof setTimeout>
    const end = (isOver: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(isOver)
    }
    const onAbort = () => end(false)
    const goOn = () => {
      const left = until - performance.now()
      if (left > 0) timer = setTimeout(goOn, Math.min(Math.ceil(left), MAX_TIMER_MS))
      else end(true)
    }
    timer = setTimeout(goOn, Math.min(Math.max(0, delayMs), MAX_TIMER_MS))
    signal.addEventListener('abort', onAbort)
  })
}
