/** The signal of one call. */
interface CallSignal {
  readonly signal: AbortSignal
  /** To be called when the call is over. */
  end(): void
}

/** Signals of all running calls, so that they can be ended together. */
export interface CallSignals {
  /** A signal that aborts with the caller's, or with {@link abortAll}. */
  begin(caller: AbortSignal): CallSignal
  /** Aborts every running call with this reason. */
  abortAll(reason: unknown): void
}

/** No calls yet. */
export function createCallSignals(): CallSignals {
  const running = new Set<AbortController>()
  return {
    begin: (caller) => {
      const controller = new AbortController()
      const follow = (): void => controller.abort(caller.reason)
      running.add(controller)
      if (caller.aborted) follow()
      else caller.addEventListener('abort', follow, { once: true })
      const end = (): void => {
        running.delete(controller)
        caller.removeEventListener('abort', follow)
      }
      return { signal: controller.signal, end }
    },
    abortAll: (reason) => {
      for (const controller of running) controller.abort(reason)
    },
  }
}
