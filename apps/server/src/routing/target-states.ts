import { createLatencies, type LatencyBook, type LatencySample } from '@svc/router/signals'
import { findLimit, findOutcome } from '../inference/core/count-request.ts'
import type { RequestLedger } from '../inference/core/ledger.ts'
import type { Clock } from '../ports.ts'

/** Health and speed of models, as the requests of this process have met them. */
export interface TargetStates {
  readonly latencies: LatencyBook
  /** @returns whether a model serves; undefined for one that was not asked yet */
  isHealthy(model: string): boolean | undefined
  /** Takes a request that has ended. @param thrown the error that ended it before its reply */
  observe(ledger: RequestLedger | undefined, thrown: unknown): void
}

/** Failures in a row from which on a model counts as ill. */
const MAX_FAILURES = 3
/** Time after which an ill model is tried again. */
const REST_MS = 30_000
const MAX_MODELS = 1_000
/** Shorter answers do not tell the speed of a model. */
const MIN_TOKENS = 8

interface Failures {
  readonly count: number
  /** Monotonic milliseconds of the last one. */
  readonly at: number
}

/** Observes models. Everything is in memory and bounded. */
export function createTargetStates({ clock }: { readonly clock: Pick<Clock, 'monotonic'> }): TargetStates {
  const latencies = createLatencies({ maxModels: MAX_MODELS })
  const failures = new Map<string, Failures>()
  const note = (model: string, hasFailed: boolean): void => {
    const before = failures.get(model)
    failures.delete(model)
    failures.set(model, { count: hasFailed ? (before?.count ?? 0) + 1 : 0, at: clock.monotonic() })
    const [oldest] = failures.keys()
    if (failures.size > MAX_MODELS && oldest !== undefined) failures.delete(oldest)
  }
  return {
    latencies,
    isHealthy(model) {
      const known = failures.get(model)
      if (known === undefined) return undefined
      return known.count < MAX_FAILURES || clock.monotonic() - known.at >= REST_MS
    },
    observe(ledger, thrown) {
      // A request that never reached a model says nothing about it.
      if (ledger?.askedAt === undefined || findLimit(thrown) !== undefined) return
      const outcome = findOutcome(ledger, thrown)
      const names = new Set([ledger.resolvedModel.name, ledger.servedModel.name])
      const now = clock.monotonic()
      const sample = outcome === 'completed' ? measure(ledger, now) : undefined
      for (const name of names) {
        if (outcome === 'completed' || outcome === 'failed') note(name, outcome === 'failed')
        if (sample !== undefined) latencies.record(name, sample, now)
      }
    },
  }
}

/** The speed of a reply; undefined where it does not tell: an answer with further calls in it, or none at all. */
function measure({ askedAt, firstTokenAt, calls, usage }: RequestLedger, now: number): LatencySample | undefined {
  if (askedAt === undefined || calls.length !== 1) return undefined
  const begun = firstTokenAt ?? askedAt
  const { completionTokens } = usage
  const tokensPerSecond =
    completionTokens >= MIN_TOKENS && now > begun ? (completionTokens / (now - begun)) * 1000 : undefined
  return { firstTokenMs: firstTokenAt === undefined ? undefined : firstTokenAt - askedAt, tokensPerSecond }
}
