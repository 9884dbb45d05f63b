import { waitFor } from '../corpus/lock.ts'
import type { CallOptions, Clock, PreparedModel } from '../ports.ts'

/** Whether a model can answer: `loading` means that it may later. */
export type ModelState = 'ready' | 'loading' | 'failed'

/** Waits for a model that only helps. */
export interface Preparation {
  /**
   * Has the model loaded, which goes on when the caller leaves. Callers of the same load wait for it together, no
   * longer than the limit from its start. The caller that started a load gets `failed` for it.
   *
   * @throws the signal's reason
   */
  wait(options: CallOptions): Promise<ModelState>
}

/** A load that has not ended. */
interface Load {
  /** Never rejects. */
  readonly ended: Promise<ModelState>
  /** Resolves to `loading` once the limit has passed. */
  readonly late: Promise<ModelState>
}

const NEVER = new AbortController().signal

/** @param limits how long callers wait for a load */
export function createPreparation(
  { prepare }: PreparedModel,
  { timeoutMs, clock }: { readonly timeoutMs: number; readonly clock: Clock },
): Preparation {
  let load: Load | undefined

  const start = (caller: unknown): Load => {
    const over = new AbortController()
    const ended = (async (): Promise<ModelState> => {
      try {
        // Never ends before the load is noted, even where `prepare` throws at once.
        await (async () => prepare?.({ signal: NEVER, caller }))()
        return 'ready'
      } catch {
        return 'failed'
      } finally {
        load = undefined
        over.abort()
      }
    })()
    const late = clock.sleep(timeoutMs, { signal: over.signal }).then(
      (): ModelState => 'loading',
      () => ended,
    )
    return { ended, late }
  }

  return {
    async wait({ signal, caller }) {
      if (prepare === undefined) return 'ready'
      const isFirst = load === undefined
      const current = load ?? start(caller)
      load = current
      const state = await waitFor(Promise.race([current.ended, current.late]), signal)
      return state === 'failed' && !isFirst ? 'loading' : state
    },
  }
}
