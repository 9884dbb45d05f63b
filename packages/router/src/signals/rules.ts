import type { RouterSettings } from '../settings.ts'
import { type Condition, NoteList, type SignalNote } from './condition.ts'
import type { ReadBudget } from './condition-context.ts'
import type { ExpressionEngine } from './facts.ts'
import { readCondition } from './read-condition.ts'
import type { Path, Plain, SettingsReader } from './settings-reader.ts'
import type { RequestView } from './view.ts'

/** Most rules of a router. */
const MAX_RULES = 64
const MAX_NAME_LENGTH = 100

/** The effect of a rule that fired. */
export type RuleEffect =
  | { readonly kind: 'use'; readonly model: string }
  | { readonly kind: 'only'; readonly models: readonly string[] }
  | { readonly kind: 'skip-classifier' }

/** A compiled rule. */
export interface Rule {
  readonly name: string
  readonly at: 'before' | 'after'
  readonly effect: RuleEffect
  readonly overridesSticky: boolean
  readonly when: Condition
}

/** A rule that fired, with the signals by which its condition held. */
export interface FiredRule {
  readonly name: string
  readonly at: 'before' | 'after'
  readonly effect: RuleEffect
  readonly signals: readonly SignalNote[]
}

const KEYS = ['name', 'at', 'when', 'use', 'only', 'skipClassifier', 'overridesSticky']
const EFFECTS = ['use', 'only', 'skipClassifier'] as const

/** Compiles the rules of a router, and finds their mistakes. */
export function readRules(
  settings: RouterSettings,
  { expressions, reader }: { readonly expressions: ExpressionEngine | undefined; readonly reader: SettingsReader },
): readonly Rule[] {
  const { rules } = settings as { readonly rules?: unknown }
  if (rules === undefined) return []
  if (!Array.isArray(rules)) return reader.report(['rules'], 'must be a list') ?? []
  if (rules.length > MAX_RULES) reader.report(['rules'], `must name at most ${MAX_RULES} rules`)
  const budget = { keywords: 0, expressions: 0 }
  const names = new Set<string>()
  return rules.slice(0, MAX_RULES).flatMap((value: unknown, index) => {
    const rule = readRule(value, { index, settings, expressions, reader, budget })
    if (rule === undefined) return []
    if (names.has(rule.name)) reader.report(['rules', index, 'name'], `repeats the name "${rule.name}"`)
    names.add(rule.name)
    return [rule]
  })
}

interface RulePlace {
  readonly index: number
  readonly settings: RouterSettings
  readonly expressions: ExpressionEngine | undefined
  readonly reader: SettingsReader
  readonly budget: ReadBudget
}

function readRule(value: unknown, place: RulePlace): Rule | undefined {
  const { index, reader, expressions, budget } = place
  const path = ['rules', index]
  const rule = reader.object(value, path)
  if (rule === undefined) return undefined
  reader.keys(rule, KEYS, path)
  const { name = `rule ${index + 1}`, at = 'before', overridesSticky = false } = rule
  const shown = reader.texts(name, [...path, 'name'], 1)?.[0]
  if (shown !== undefined && shown.length > MAX_NAME_LENGTH) {
    reader.report([...path, 'name'], `is longer than ${MAX_NAME_LENGTH} characters`)
  }
  const phase = reader.word(at, ['before', 'after'], [...path, 'at'])
  const overrides = reader.flag(overridesSticky, [...path, 'overridesSticky'])
  if (phase === undefined) return undefined
  const effect = readEffect(rule, path, { ...place, at: phase })
  const when = readCondition(rule.when, [...path, 'when'], { reader, expressions, budget, at: phase })
  if (shown === undefined || overrides === undefined || effect === undefined || when === undefined) return undefined
  return { name: shown, at: phase, effect, overridesSticky: overrides, when }
}

function readEffect(
  rule: Plain,
  path: Path,
  { settings, reader, at }: RulePlace & { readonly at: 'before' | 'after' },
): RuleEffect | undefined {
  const [effect, second] = EFFECTS.filter((key) => rule[key] !== undefined)
  if (effect === undefined || second !== undefined) {
    return reader.report(path, 'must have exactly one of use, only and skip_classifier')
  }
  if (effect === 'skipClassifier') {
    if (at === 'after') return reader.report([...path, effect], 'comes too late after the classifier')
    return rule[effect] === true ? { kind: 'skip-classifier' } : reader.report([...path, effect], 'must be true')
  }
  const models = reader.texts(rule[effect], [...path, effect], effect === 'use' ? 1 : settings.candidates.length + 1)
  if (models === undefined) return undefined
  const known = settings.candidates.map(({ model }) => model)
  const foreign = models.find((model) => model !== settings.fallback && !known.includes(model))
  if (foreign !== undefined) {
    return reader.report([...path, effect], `"${foreign}" is not a candidate and not the fallback`)
  }
  if (effect === 'use') return { kind: 'use', model: models[0] ?? '' }
  return at === 'before'
    ? { kind: 'only', models }
    : reader.report([...path, effect], 'comes too late after the classifier')
}

/** A rule that fired, or undefined. */
export function tryRule({ name, at, effect, when }: Rule, view: RequestView): FiredRule | undefined {
  const list = new NoteList()
  return when(view, list) === true ? { name, at, effect, signals: list.notes } : undefined
}
