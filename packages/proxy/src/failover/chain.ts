import { SvcError } from '@svc/errors'
import type { FailoverSettings } from './settings.ts'
import type { Verdict } from './verdict.ts'

/** How a target is. */
export type TargetStatus = 'up' | 'down' | 'resting'

/** A target and how it is. Times are of the chain's clock, in milliseconds. */
export interface TargetState {
  readonly model: string
  readonly warm: boolean
  readonly status: TargetStatus
  /** Since when. */
  readonly since: number
  /** Until when it rests; of no meaning otherwise. */
  readonly until: number | undefined
  /** Good probes in a row while it is down. */
  readonly goodProbes: number
}

/** Something that changed, for metrics and whoever watches. */
export type FailoverEvent =
  | { readonly type: 'target-state'; readonly model: string; readonly from: TargetStatus; readonly to: TargetStatus }
  | { readonly type: 'switch'; readonly from: string; readonly to: string }
  | { readonly type: 'pin'; readonly model: string | undefined }

/** Who is asked, and what a client is told about it. */
export interface Candidate {
  readonly model: string
  /** `undefined` for the first of the chain, `fallback` for another, `degraded` for one that is known to be down. */
  readonly note: 'fallback' | 'degraded' | undefined
}

/** A target to be looked at. */
export interface DueProbe {
  readonly model: string
  /** Whether the target is up again if it looks good: the look should then be as close to a request as it can. */
  readonly isLast: boolean
}

/** How to make a chain. */
export interface ChainOptions {
  readonly settings: FailoverSettings
  /** Milliseconds that never go back. */
  readonly now: () => number
  readonly onEvent?: ((event: FailoverEvent) => void) | undefined
}

/**
 * The targets of one model and how they are. It decides and remembers; it asks nobody.
 *
 * A target is down once it failed `trip.errors` times within `trip.window`, and up again after `recovery.probes` good
 * probes in a row, `recovery.min_dwell` later at the earliest. One that is rate-limited rests for as long as it said.
 */
export interface Chain {
  readonly settings: FailoverSettings
  readonly states: readonly TargetState[]
  /** The target that served last; the first one until one has. */
  readonly serving: string
  /** The target that is asked alone, whatever its state; none unless somebody set it. */
  readonly pinned: string | undefined
  /**
   * Whom to ask for a request, in order: those that are up, then, as a last resort, those that are down.
   *
   * @throws {SvcError} `rate_limited`, `retryAfterMs` the shortest rest, when all are resting
   */
  candidates(): readonly Candidate[]
  /** Takes what a target's answer meant. @param retryAfterMs how long it asked to be left alone */
  report(model: string, verdict: Verdict | 'good', retryAfterMs?: number): void
  /** Targets that are down and have not been looked at for `probe.interval`; each is then held to be looked at. */
  dueProbes(): readonly DueProbe[]
  /** Takes the outcome of a look at a target that is down. */
  reportProbe(model: string, isGood: boolean): void
  /** Asks one target alone; undefined goes back to all. @throws {SvcError} `not_found` */
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
  /** When it failed, the newest `trip.errors` times. */
  failures: number[]
}

/** A chain whose targets are all up. */
export function createChain({ settings, now, onEvent = () => {} }: ChainOptions): Chain {
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
  /** Rests end by themselves. */
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
    // What is down stays so: a rest that ends must not bring it back unseen.
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
        throw new SvcError('not_found', 'the chain has no such target', { code: 'failover_target_not_found' })
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
