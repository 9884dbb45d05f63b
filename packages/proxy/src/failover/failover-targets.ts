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

/** A target to probe. */
export interface DueProbe {
  readonly model: string
  /** Whether a good result brings the target back: this probe should be as close to a request as possible. */
  readonly isLast: boolean
}

/** A change of the state of a target. */
export interface TargetChange {
  readonly type: 'target-state'
  readonly model: string
  readonly from: TargetStatus
  readonly to: TargetStatus
}

/** Options of {@link createFailoverTargets}. */
export interface FailoverTargetsOptions {
  readonly settings: FailoverSettings
  /** Monotonic milliseconds. */
  readonly now: () => number
  readonly onChange: (change: TargetChange) => void
}

/** The targets of a failover group and their states. */
export interface FailoverTargets {
  /** All targets in order. */
  states(): readonly TargetState[]
  has(model: string): boolean
  /** Records the verdict of a target's answer. Ignores unknown targets. */
  report(model: string, verdict: Verdict | 'good', retryAfterMs: number | undefined): void
  /** Targets that are down and were not probed for `probe.interval`; counts each of them as probed now. */
  dueProbes(): readonly DueProbe[]
  /** Records the result of a probe of a target that is down. */
  reportProbe(model: string, isGood: boolean): void
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

/** Creates targets that are all up. */
export function createFailoverTargets({ settings, now, onChange }: FailoverTargetsOptions): FailoverTargets {
  const targets = settings.targets.map(({ model, warm }): Target => {
    const start = now()
    return { model, warm, status: 'up', since: start, until: 0, probedAt: start, goodProbes: 0, failures: [] }
  })

  const change = (target: Target, to: TargetStatus, at = now()): void => {
    if (target.status === to) return
    const from = target.status
    Object.assign(target, { status: to, since: at, probedAt: at, goodProbes: 0, failures: [] })
    onChange({ type: 'target-state', model: target.model, from, to })
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
  const pass = (target: Target): void => {
    if (target.status === 'down') passProbe(target)
    else target.failures = []
  }

  return {
    states: () =>
      settled().map(({ model, warm, status, since, until, goodProbes }) => ({
        model,
        warm,
        status,
        since,
        until: status === 'resting' ? until : undefined,
        goodProbes,
      })),
    has: (model) => find(model) !== undefined,
    report(model, verdict, retryAfterMs) {
      const target = find(model)
      if (target === undefined) return
      if (verdict === 'down') fail(target)
      else if (verdict === 'resting') rest(target, retryAfterMs)
      else if (verdict === 'good') pass(target)
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
  }
}
