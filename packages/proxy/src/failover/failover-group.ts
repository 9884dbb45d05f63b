import { SvcError } from '@svc/errors'
import type { FailoverSettings } from './settings.ts'
import type { Verdict } from './verdict.ts'

/** State of a target. */
export type TargetStatus = 'up' | 'down' | 'resting'

/** A target with its state. Times are of the group's clock, in milliseconds. */
export interface TargetState {
  readonly model: string
  readonly warm: boolean
  readonly status: TargetStatus
  /** Start of the state. */
  readonly since: number
  /** End of a rest; only present while the target rests. */
  readonly until: number | undefined
  /** Successful probes in a row while it is down. */
  readonly goodProbes: number
}

/** A change of a target or group, for metrics and observers. */
export type FailoverEvent =
  | { readonly type: 'target-state'; readonly model: string; readonly from: TargetStatus; readonly to: TargetStatus }
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

/** A target to probe. */
export interface DueProbe {
  readonly model: string
  /** Whether a good result brings the target back: this probe should be as close to a request as possible. */
  readonly isLast: boolean
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

/** The longest rest that a target may ask for, in milliseconds. */
const MAX_REST_MS = 60 * 60 * 1000

interface Target {
  readonly model: string
  readonly warm: boolean
  status: TargetStatus
  since: number
  until: number
  probedAt: number
  goodProbes: number
  /** Times of its failures, the newest `trip.errors`. */
  failures: number[]
}

/** Creates a failover group whose targets are all up. */
export function createFailoverGroup({ settings, now, onEvent = () => {} }: FailoverGroupOptions): FailoverGroup {
  const targets = settings.targets.map(({ model, warm }): Target => {
    const start = now()
    return { model, warm, status: 'up', since: start, until: 0, probedAt: start, goodProbes: 0, failures: [] }
  })
  let pinned: string | undefined
  let serving = targets[0]?.model ?? ''

  const change = (target: Target, to: TargetStatus, at = now()): void => {
    if (target.status === to) return
    const from = target.status
    Object.assign(target, { status: to, since: at, probedAt: at, goodProbes: 0, failures: [] })
    onEvent({ type: 'target-state', model: target.model, from, to })
  }
  /** Ends rests whose time is over. */
  const settled = (): readonly Target[] => {
    for (const target of targets) if (target.status === 'resting' && target.until <= now()) change(target, 'up')
    return targets
  }
  const find = (model: string): Target | undefined => targets.find((target) => target.model === model)

  const fail = (target: Target): void => {
    const { errors, windowMs } = settings.trip
    target.failures = [...target.failures, now()].filter((at) => at > now() - windowMs).slice(-errors)
    if (target.status === 'down') target.goodProbes = 0
    else if (target.failures.length >= errors) change(target, 'down')
  }
  const rest = (target: Target, retryAfterMs: number | undefined): void => {
    // A target that is down stays down: the end of a rest must not bring it back without a probe.
    if (target.status === 'down') return
    const at = now()
    target.until = at + Math.min(MAX_REST_MS, retryAfterMs ?? settings.probe.intervalMs)
    change(target, 'resting', at)
  }
  /** Whether one more good probe brings a target back. */
  const recovers = ({ goodProbes, since }: Target): boolean => {
    const { probes, minDwellMs } = settings.recovery
    return goodProbes + 1 >= probes && now() - since >= minDwellMs
  }
  const passProbe = (target: Target): void => {
    if (recovers(target)) change(target, 'up')
    else target.goodProbes += 1
  }
  const served = (target: Target): void => {
    if (target.status === 'down') passProbe(target)
    else target.failures = []
    if (serving === target.model) return
    onEvent({ type: 'switch', from: serving, to: target.model })
    serving = target.model
  }

  return {
    settings,
    get states() {
      return settled().map(({ model, warm, status, since, until, goodProbes }) => ({
        model,
        warm,
        status,
        since,
        until: status === 'resting' ? until : undefined,
        goodProbes,
      }))
    },
    get serving() {
      return serving
    },
    get pinned() {
      return pinned
    },
    candidates() {
      const all = settled()
      const first = all[0]?.model
      const note = (target: Target): Candidate['note'] => {
        if (target.status === 'down') return 'degraded'
        return target.model === first ? undefined : 'fallback'
      }
      if (pinned !== undefined) {
        return all
          .filter(({ model }) => model === pinned)
          .map((target) => ({ model: target.model, note: note(target) }))
      }
      const inOrder = (['up', 'down'] as const).flatMap((wanted) => all.filter(({ status }) => status === wanted))
      if (inOrder.length === 0) throw allResting(Math.min(...all.map(({ until }) => until)) - now())
      return inOrder.map((target) => ({ model: target.model, note: note(target) }))
    },
    report(model, verdict, retryAfterMs) {
      const target = find(model)
      if (target === undefined) return
      if (verdict === 'down') fail(target)
      else if (verdict === 'resting') rest(target, retryAfterMs)
      else if (verdict === 'good') served(target)
    },
    dueProbes() {
      const due = targets.filter(
        ({ status, probedAt }) => status === 'down' && now() - probedAt >= settings.probe.intervalMs,
      )
      for (const target of due) target.probedAt = now()
      return due.map((target) => ({ model: target.model, isLast: recovers(target) }))
    },
    reportProbe(model, isGood) {
      const target = find(model)
      if (target?.status !== 'down') return
      if (isGood) passProbe(target)
      else target.goodProbes = 0
    },
    pin(model) {
      if (model !== undefined && find(model) === undefined) {
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
