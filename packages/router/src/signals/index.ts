/**
 * Signals beside the classifiers of a router: rules by words, length, language, media, tools, tags, groups, time, budget,
 * health and latency; conversations that stay on their model; the cheapest and the fastest model that fits. No model is
 * asked.
 *
 * @module
 */
export type { SignalNote } from './condition.ts'
export { createSignals, type SignalsOptions } from './create-signals.ts'
export { type BodyFacts, extractFacts } from './extract-facts.ts'
export type { ExpressionEngine, RequestFacts, TargetFacts, Targets } from './facts.ts'
export { type DetectedLanguage, detectLanguage } from './language/detect-language.ts'
export {
  createLatencies,
  type Latencies,
  type LatencyBook,
  type LatencySample,
  type MeasuredLatency,
} from './latencies.ts'
export type { Signals } from './ports.ts'
export { validateSignals } from './read-settings.ts'
export { toRuleSettings } from './rule-keys.ts'
export type { FiredRule, RuleEffect } from './rules.ts'
export type { Selected } from './selection.ts'
export type { ConditionSettings, RuleSettings, SelectSettings, StickySettings, TimeWindow } from './settings.ts'
