import type { Rules, RulesDraft } from './api.ts'
import { writeLabel } from './worker-figures.ts'

/** How requests are spread over the replicas of a model; empty: as the server does without a rule. */
export const POLICIES = ['', 'least_loaded', 'round_robin', 'prefix_cache'] as const

/** The fields of the form of rules, as texts. */
export interface RulesForm {
  readonly model: string
  readonly selector: string
  readonly min: string
  readonly max: string
  readonly spreads: boolean
  readonly policy: (typeof POLICIES)[number]
}

/** The form of rules that are there, or of new ones. */
export function toForm(rules: Rules | undefined): RulesForm {
  if (rules === undefined) return { model: '', selector: '', min: '0', max: '0', spreads: false, policy: '' }
  return {
    model: rules.model_name,
    selector: Object.entries(rules.node_selector).map(writeLabel).join(', '),
    min: String(rules.min_replicas),
    max: String(rules.max_replicas),
    spreads: rules.spread_all,
    policy: POLICIES.find((policy) => policy === rules.route_policy) ?? '',
  }
}

/** Reads labels between commas, such as `zone=a, tier=fast`; undefined for a text that is none. */
export function readSelector(text: string): Readonly<Record<string, string>> | undefined {
  const labels: [string, string][] = []
  for (const part of text.split(',').map((each) => each.trim())) {
    if (part === '') continue
    const at = part.indexOf('=')
    const key = (at === -1 ? part : part.slice(0, at)).trim()
    if (key === '') return undefined
    labels.push([key, at === -1 ? '' : part.slice(at + 1).trim()])
  }
  return Object.fromEntries(labels)
}

const toCount = (text: string): number => (text.trim() === '' ? 0 : Number(text))

/** The rules that a form stands for; what the form does not show stays as it was. Undefined for a wrong selector. */
export function toDraft(form: RulesForm, before: Rules | undefined): RulesDraft | undefined {
  const selector = readSelector(form.selector)
  if (selector === undefined) return undefined
  return {
    model_name: form.model.trim(),
    node_selector: selector,
    min_replicas: form.spreads ? 0 : toCount(form.min),
    max_replicas: form.spreads ? 0 : toCount(form.max),
    spread_all: form.spreads,
    route_policy: form.policy,
    ...(before && {
      balance_abs_threshold: before.balance_abs_threshold,
      balance_rel_threshold: before.balance_rel_threshold,
      min_prefix_match: before.min_prefix_match,
    }),
  }
}
