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
  /** Requests that a replica may have above the least busy one and still be chosen by a prefix. */
  readonly balanceAbs: string
  /** The same as a multiple of its requests. */
  readonly balanceRel: string
  /** The least part of a prompt that has to match, 0 to 1. */
  readonly prefixMatch: string
}

/** The values that the server has for a 0. */
export const PREFIX_DEFAULTS = { balanceAbs: 2, balanceRel: 1.5, prefixMatch: 0.3 } as const

const NEW_FORM: RulesForm = {
  model: '',
  selector: '',
  min: '0',
  max: '0',
  spreads: false,
  policy: '',
  balanceAbs: '0',
  balanceRel: '0',
  prefixMatch: '0',
}

/** Whether requests may go by the beginnings of prompts: the policy says so, or the server decides. */
export function usesPrefixes({ policy }: Pick<RulesForm, 'policy'>): boolean {
  return policy === '' || policy === 'prefix_cache'
}

/** The form of rules that are there, or of new ones. */
export function toForm(rules: Rules | undefined): RulesForm {
  if (rules === undefined) return NEW_FORM
  return {
    model: rules.model_name,
    selector: Object.entries(rules.node_selector).map(writeLabel).join(', '),
    min: String(rules.min_replicas),
    max: String(rules.max_replicas),
    spreads: rules.spread_all,
    policy: POLICIES.find((policy) => policy === rules.route_policy) ?? '',
    balanceAbs: String(rules.balance_abs_threshold),
    balanceRel: String(rules.balance_rel_threshold),
    prefixMatch: String(rules.min_prefix_match),
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

const toNumber = (text: string): number => (text.trim() === '' ? 0 : Number(text))

/** The rules that a form stands for. Undefined for a wrong selector. */
export function toDraft(form: RulesForm): RulesDraft | undefined {
  const selector = readSelector(form.selector)
  if (selector === undefined) return undefined
  return {
    model_name: form.model.trim(),
    node_selector: selector,
    min_replicas: form.spreads ? 0 : toNumber(form.min),
    max_replicas: form.spreads ? 0 : toNumber(form.max),
    spread_all: form.spreads,
    route_policy: form.policy,
    balance_abs_threshold: toNumber(form.balanceAbs),
    balance_rel_threshold: toNumber(form.balanceRel),
    min_prefix_match: toNumber(form.prefixMatch),
  }
}
