import type { Classification } from '../classifiers/classification.ts'
import { systemClock } from '../clock.ts'
import type { Choice } from '../decision.ts'
import { noFallbackError } from '../errors.ts'
import type { Clock } from '../ports.ts'
import { selectCandidate } from '../select-candidate.ts'
import { checkSettings, isWithoutClassifier, type RouterCandidate, type RouterSettings } from '../settings.ts'
import type { ExpressionEngine, Targets } from './facts.ts'
import type { LatencyBook } from './latencies.ts'
import type { RouterCore, SignalChoice, Signals } from './ports.ts'
import { readSignalPlan, type SignalPlan } from './read-settings.ts'
import { type FiredRule, type Rule, tryRule } from './rules.ts'
import { createSelector, fits, type Selected, type Selector } from './selection.ts'
import { createStickyModels, findConversationKey, type StickyModels } from './sticky.ts'
import { RequestView } from './view.ts'

/** Options of {@link createSignals}. */
export interface SignalsOptions {
  readonly settings: RouterSettings
  /** @default nothing is known of any model */
  readonly targets?: Targets | undefined
  /** @default no model was measured */
  readonly latencies?: LatencyBook | undefined
  /** @default `expression` is a mistake */
  readonly expressions?: ExpressionEngine | undefined
  readonly clock?: Clock | undefined
}

const NO_TARGETS: Targets = { describe: () => ({}) }
const NO_LATENCIES: LatencyBook = { find: () => undefined }

/**
 * The rules, the sticky conversations and the selection of a router, for the option `signals` of `createRouter`.
 * Mistakes in the settings do not throw: the router lists them and serves by its fallback.
 *
 * @example
 * const router = createRouter({ name: 'auto', settings, scorer, signals: createSignals({ settings }) })
 * await router.decide('What is on this picture?', { facts: { hasImages: true } })
 */
export function createSignals(options: SignalsOptions): Signals {
  const { settings, targets = NO_TARGETS, latencies = NO_LATENCIES, clock = systemClock } = options
  checkSettings(settings, 'createSignals: settings')
  const plan = readSignalPlan(settings, options.expressions)
  const monotonic = () => clock.monotonic()
  const parts: Parts = {
    plan,
    candidates: settings.candidates,
    isWithoutClassifier: isWithoutClassifier(settings),
    fallback: settings.fallback?.trim() ?? '',
    sticky: plan.sticky && createStickyModels(plan.sticky, { monotonic }),
    select: plan.select && createSelector(plan.select, monotonic),
  }
  const ports = { targets, latencies, now: () => clock.now() }
  return {
    problems: plan.problems,
    choose: (request, core) => new Run(parts, new RequestView(request, ports), core).choose(),
  }
}

interface Parts {
  readonly plan: SignalPlan
  readonly candidates: readonly RouterCandidate[]
  readonly isWithoutClassifier: boolean
  readonly fallback: string
  readonly sticky: StickyModels | undefined
  readonly select: Selector | undefined
}

/** One decision. */
class Run {
  readonly #parts: Parts
  readonly #view: RequestView
  readonly #core: RouterCore
  readonly #fired: FiredRule[] = []
  #candidates: readonly RouterCandidate[]
  #skipsClassifier: boolean
  #isClassified = false
  #overridesSticky = false
  #selected: Selected | undefined
  /** The models to which rules restrict the request. @default all */
  #allowed: ReadonlySet<string> | undefined

  constructor(parts: Parts, view: RequestView, core: RouterCore) {
    this.#parts = parts
    this.#view = view
    this.#core = core
    this.#candidates = parts.candidates
    this.#skipsClassifier = parts.isWithoutClassifier
  }

  async choose(): Promise<SignalChoice> {
    const used = this.#applyBefore()
    const { sticky } = this.#parts
    const key = sticky && findConversationKey(this.#view)
    const kept = key === undefined || this.#overridesSticky ? undefined : this.#findKept(sticky?.find(key))
    let choice = kept === undefined ? (used ?? (await this.#choosePlainly())) : this.#choose(kept, 'sticky')
    this.#view.chosen = choice.servedModel
    choice = this.#applyAfter(kept === undefined) ?? choice
    if (key !== undefined && !choice.usedFallback && !this.#view.isTrial) sticky?.set(key, choice.servedModel)
    return {
      choice,
      isClassified: this.#isClassified,
      found: this.#view.found,
      rules: this.#fired,
      selected: this.#selected,
    }
  }

  /** Fires the rules before the classifier. @returns the choice of the first one that decides */
  #applyBefore(): Choice | undefined {
    for (const rule of this.#parts.plan.rules) {
      if (rule.at !== 'before') continue
      const effect = this.#fire(rule)
      if (effect?.kind === 'use') return this.#choose(effect.model, 'rule')
      if (effect?.kind === 'skip-classifier') this.#skipsClassifier = true
      if (effect?.kind === 'only') this.#restrict(effect.models)
    }
    return undefined
  }

  #restrict(models: readonly string[]): void {
    const before = this.#allowed
    this.#allowed = new Set(models.filter((model) => before?.has(model) !== false))
    this.#candidates = this.#candidates.filter(({ model }) => this.#allowed?.has(model))
  }

  /** @param isOpen whether every rule may replace the choice, or only those that override a sticky conversation */
  #applyAfter(isOpen: boolean): Choice | undefined {
    for (const rule of this.#parts.plan.rules) {
      if (rule.at !== 'after' || !(isOpen || rule.overridesSticky)) continue
      const effect = this.#fire(rule)
      if (effect?.kind !== 'use') continue
      this.#selected = undefined
      return this.#choose(effect.model, 'rule')
    }
    return undefined
  }

  #fire(rule: Rule): Rule['effect'] | undefined {
    // A restriction binds every rule after it.
    if (rule.effect.kind === 'use' && this.#allowed?.has(rule.effect.model) === false) return undefined
    const fired = tryRule(rule, this.#view)
    if (fired === undefined) return undefined
    this.#fired.push(fired)
    this.#overridesSticky ||= rule.overridesSticky
    return rule.effect
  }

  /** The model of a conversation while it may stay there. */
  #findKept(model: string | undefined): string | undefined {
    if (model === undefined || this.#allowed?.has(model) === false) return undefined
    const isListed = model === this.#parts.fallback || this.#parts.candidates.some((each) => each.model === model)
    const { isHealthy } = this.#view.ports.targets.describe(model)
    const isFit = this.#parts.select === undefined ? isHealthy !== false : fits(model, this.#view, 0)
    return isListed && isFit ? model : undefined
  }

  async #choosePlainly(): Promise<Choice> {
    if (this.#skipsClassifier) return this.#select(this.#candidates, undefined)
    this.#isClassified = true
    const { found, error } = await this.#core.classify()
    this.#view.found = found
    if (found === undefined) {
      if (error === undefined) return this.#fallBack('no-classifier', 'classifier unavailable')
      return this.#fallBack('classifier-failed', 'the classifier failed', error)
    }
    if (found.labels.length === 0) return this.#fallBack('no-label', 'no label is active')
    return this.#select(this.#candidates, found)
  }

  #select(candidates: readonly RouterCandidate[], found: Classification | undefined): Choice {
    const labels = found?.labels ?? []
    const covering = candidates.filter((each) => found === undefined || selectCandidate([each], labels) !== undefined)
    const [first] = covering
    if (first === undefined) {
      const named = found === undefined ? 'no candidate is left' : `no candidate covers labels: ${labels.join(', ')}`
      return this.#fallBack('not-covered', named)
    }
    const { select } = this.#parts
    if (select === undefined) return this.#choose(first.model, found === undefined ? 'selected' : 'covered')
    this.#selected = select(covering, this.#view)
    if (this.#selected === undefined) return this.#fallBack('not-covered', 'no candidate fits')
    return this.#choose(this.#selected.model, 'selected')
  }

  /** The fallback, where no rule forbids it; else the first candidate that is left, whatever its labels are. */
  #fallBack(reason: Choice['reason'], because: string, cause?: unknown): Choice {
    if (this.#allowed?.has(this.#parts.fallback) !== false) return this.#core.fallBack(reason, because, cause)
    const [first] = this.#candidates.filter(({ model }) => fits(model, this.#view, 0)).concat(this.#candidates)
    if (first === undefined) throw noFallbackError('rules leave no candidate', cause)
    const servedModel = this.#core.admit('candidate', first.model)
    return { servedModel, usedFallback: true, reason, label: 'fallback' }
  }

  #choose(model: string, reason: Choice['reason']): Choice {
    const isFallback = !this.#parts.candidates.some((each) => each.model === model)
    const servedModel = this.#core.admit(isFallback ? 'fallback' : 'candidate', model)
    return { servedModel, usedFallback: false, reason, label: this.#view.found?.labels.join(',') ?? '' }
  }
}
