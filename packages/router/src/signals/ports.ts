import type { Classification } from '../classifiers/classification.ts'
import type { Choice, DecisionReason } from '../decision.ts'
import type { Probe } from '../probe/probe.ts'
import type { RouterProblem } from '../validate-settings.ts'
import type { RequestFacts } from './facts.ts'
import type { FiredRule } from './rules.ts'
import type { Selected } from './selection.ts'

/** The parts of a router that signals use. */
export interface RouterCore {
  /** Asks the classifier; both are undefined where none could be built. Never called with `classifier: none`. */
  classify(): Promise<{ readonly found?: Classification; readonly error?: unknown }>
  /** The model, once it is known that a router may pick it. @throws `router_depth`, `router_model_missing` */
  admit(role: 'candidate' | 'fallback', model: string): string
  /** @throws `router_no_fallback` and the errors of {@link admit} */
  fallBack(reason: DecisionReason, because: string, cause?: unknown): Choice
}

/** A choice, and how signals came to it. */
export interface SignalChoice {
  readonly choice: Choice
  /** Whether the labels of the prompt were wanted. */
  readonly isClassified: boolean
  /** Undefined where no classifier answered. */
  readonly found: Classification | undefined
  readonly rules: readonly FiredRule[]
  readonly selected: Selected | undefined
}

/** Rules, sticky conversations and selection of one router. */
export interface Signals {
  readonly problems: readonly RouterProblem[]
  /** @param request.isTrial leaves no trace: no conversation is kept, and no model is tried to measure it */
  choose(
    request: { readonly probe: Probe; readonly facts: RequestFacts; readonly isTrial: boolean },
    core: RouterCore,
  ): Promise<SignalChoice>
}
