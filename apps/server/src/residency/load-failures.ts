import { toSvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'

/** A load that failed. */
export interface LoadFailure {
  readonly model: string
  readonly error: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** The models whose last load failed. */
export interface LoadFailures {
  /** The newest first. */
  list(): readonly LoadFailure[]
  add(model: string, error: unknown): void
  /** Forgets the failure of a model that was loaded since, or that was changed. */
  remove(model: string): void
}

const MAX_MODELS = 1000
const MAX_LENGTH = 1024

/** Creates a list without failures; it keeps those of the last 1,000 models. */
export function createLoadFailures({ clock }: { readonly clock: Pick<Clock, 'now'> }): LoadFailures {
  const failures = new Map<string, LoadFailure>()
  return {
    list: () => [...failures.values()].reverse(),
    add(model, error) {
      failures.delete(model)
      failures.set(model, { model, error: toSvcError(error).message.slice(0, MAX_LENGTH), at: clock.now() })
      for (const oldest of failures.keys()) {
        if (failures.size <= MAX_MODELS) break
        failures.delete(oldest)
      }
    },
    remove: (model) => void failures.delete(model),
  }
}
