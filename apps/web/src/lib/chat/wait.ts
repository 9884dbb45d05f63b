/** Waits. @returns false when it was called off */
export function wait(delayMs: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false)
  return new Promise((resolve) => {
    const end = (isOver: boolean) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      resolve(isOver)
    }
    const onAbort = () => end(false)
    const timer = setTimeout(() => end(true), delayMs)
    signal.addEventListener('abort', onAbort)
  })
}
