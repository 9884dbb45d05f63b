import type { OperationFigures } from './operation.ts'

/** Observers of {@link followLive}. */
export interface LiveObservers {
  /** Converts a failure while the result is read. @default the failure itself */
  readonly toFailure?: ((error: unknown) => unknown) | undefined
  /** Called once: when the reading ends, or the result is released. @param error the failure of the reading */
  readonly onEnd: (error?: unknown) => void
}

/** Observes a result until the model has given all of it. A finished result ends at once. */
export function followLive<Result extends OperationFigures>(result: Result, observers: LiveObservers): Result {
  const { live, release } = result
  const { toFailure = (error) => error, onEnd } = observers
  if (live === undefined) {
    onEnd()
    return result
  }
  let isEnded = false
  const end = (error?: unknown): void => {
    if (isEnded) return
    isEnded = true
    onEnd(error)
  }
  async function* read(parts: AsyncIterable<unknown>): AsyncGenerator<unknown> {
    try {
      yield* parts
    } catch (error) {
      const failure = toFailure(error)
      end(failure)
      throw failure
    } finally {
      end()
    }
  }
  return {
    ...result,
    live: read(live),
    release() {
      try {
        release?.()
      } finally {
        end()
      }
    },
  }
}
