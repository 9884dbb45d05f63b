import { modelUnloading } from './errors.ts'

/** The signal of one call on a model. */
export interface CallSignal {
  readonly signal: AbortSignal
  /** Ends the call; the signal stops following. Further calls do nothing. */
  end(): void
}

/** Signals of all running calls on a model, so that they abort when it closes. */
export interface CallSignals {
  /** Creates a signal that aborts with the caller's, or with {@link close}; for streams, which end in a `finally`. */
  begin(caller: AbortSignal): CallSignal
  /** Runs a call with one answer under such a signal. */
  during<Result>(
    caller: AbortSignal,
    work: (options: { readonly signal: AbortSignal }) => Promise<Result>,
  ): Promise<Result>
  /** Aborts every running call and every later one with `model_unloading` (unavailable). */
  close(): void
}

/**
 * Creates an empty set of signals. `AbortSignal.any` with a signal that lives as long as the model would keep a little
 * of every call until the model closes; this keeps nothing of finished calls.
 */
export function createCallSignals(): CallSignals {
  const running = new Set<AbortController>()
  let closed = false
  const begin = (caller: AbortSignal): CallSignal => {
    const controller = new AbortController()
    const follow = (): void => controller.abort(caller.reason)
    running.add(controller)
    if (caller.aborted) follow()
    else caller.addEventListener('abort', follow, { once: true })
    if (closed) controller.abort(modelUnloading())
    const end = (): void => {
      running.delete(controller)
      caller.removeEventListener('abort', follow)
    }
    return { signal: controller.signal, end }
  }
  return {
    begin,
    during: async (caller, work) => {
      const call = begin(caller)
      try {
        return await work(call)
      } finally {
        call.end()
      }
    },
    close: () => {
      closed = true
      for (const controller of running) controller.abort(modelUnloading())
    },
  }
}
