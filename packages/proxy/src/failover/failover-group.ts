import { SvcError } from '@svc/errors'
import { createFailoverTargets, type DueProbe, type TargetChange, type TargetState } from './failover-targets.ts'
import type { FailoverSettings } from './settings.ts'
import type { Verdict } from './verdict.ts'

/** A change of a target or group, for metrics and observers. */
export type FailoverEvent =
  | TargetChange
  | { readonly type: 'switch'; readonly from: string; readonly to: string }
  | { readonly type: 'pin'; readonly model: string | undefined }

/** A target to ask, and the note for the client. */
export interface Candidate {
  readonly model: string
  /**
   * `undefined` for the first target of the group, `fallback` for another, `degraded` for one that is known to be down.
   */
  readonly note: 'fallback' | 'degraded' | undefined
}

/** Options of {@link createFailoverGroup}. */
export interface FailoverGroupOptions {
  readonly settings: FailoverSettings
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly onEvent?: ((event: FailoverEvent) => void) | undefined
}

/**
 * A failover group: the targets of one model and their states. It decides and remembers; it sends nothing.
 *
 * A target goes down after `trip.errors` failures within `trip.window`. It comes up after `recovery.probes` good probes
 * in a row, `recovery.min_dwell` later at the earliest. A rate-limited target rests for as long as it asked.
 */
export interface FailoverGroup {
  readonly settings: FailoverSettings
  readonly states: readonly TargetState[]
  /** The target that served last; initially the first one. */
  readonly serving: string
  /** The only target that is asked, in any state; undefined without a pin. */
  readonly pinned: string | undefined
  /**
   * The targets to ask for a request, in order: targets that are up, then, as a last resort, targets that are down.
   *
   * @throws {SvcError} `rate_limited`, `retryAfterMs` the shortest rest, when all are resting
   */
  candidates(): readonly Candidate[]
  /** Records the verdict of a target's answer. @param retryAfterMs the waiting time that the target asked for */
  report(model: string, verdict: Verdict | 'good', retryAfterMs?: number): void
  /** Targets that are down and were not probed for `probe.interval`; counts each of them as probed now. */
  dueProbes(): readonly DueProbe[]
  /** Records the result of a probe of a target that is down. */
  reportProbe(model: string, isGood: boolean): void
  /** Pins one target; undefined removes the pin. @throws {SvcError} `not_found` */
  pin(model: string | undefined): void
}

/** Creates a failover group whose targets are all up. */
export function createFailoverGroup({ settings, now, onEvent = () => {} }: FailoverGroupOptions): FailoverGroup {
  const targets = createFailoverTargets({ settings, now, onChange: onEvent })
  const first = settings.targets[0]?.model ?? ''
  let pinned: string | undefined
  let serving = first

  const toCandidate = ({ model, status }: TargetState): Candidate => {
    if (status === 'down') return { model, note: 'degraded' }
    return { model, note: model === first ? undefined : 'fallback' }
  }

  return {
    settings,
    get states() {
      return targets.states()
    },
    get serving() {
      return serving
    },
    get pinned() {
      return pinned
    },
    candidates() {
      const all = targets.states()
      if (pinned !== undefined) return all.filter(({ model }) => model === pinned).map(toCandidate)
      const inOrder = (['up', 'down'] as const).flatMap((wanted) => all.filter(({ status }) => status === wanted))
      if (inOrder.length === 0) throw allResting(Math.min(...all.map(({ until = 0 }) => until)) - now())
      return inOrder.map(toCandidate)
    },
    report(model, verdict, retryAfterMs) {
      targets.report(model, verdict, retryAfterMs)
      if (verdict !== 'good' || serving === model || !targets.has(model)) return
      onEvent({ type: 'switch', from: serving, to: model })
      serving = model
    },
    dueProbes: () => targets.dueProbes(),
    reportProbe: (model, isGood) => targets.reportProbe(model, isGood),
    pin(model) {
      if (model !== undefined && !targets.has(model)) {
        throw new SvcError('not_found', 'the failover group has no such target', { code: 'failover_target_not_found' })
      }
      if (pinned === model) return
      pinned = model
      onEvent({ type: 'pin', model })
    },
  }
}

function allResting(retryAfterMs: number): SvcError {
  return new SvcError('rate_limited', 'every target of the model is rate-limited', {
    code: 'failover_all_resting',
    retryAfterMs: Math.max(0, retryAfterMs),
    details: { type: 'rate_limit_error' },
  })
}
