import type { RuleSettings } from './settings.ts'

/** Deeper values are left as they are: no condition is nested that deep. */
const MAX_DEPTH = 32

/**
 * The rules of a model file, whose keys are written `has_images`, as settings. Types and meanings are not checked:
 * `validateSignals` does.
 *
 * @param rules plain data of YAML or JSON
 */
export function toRuleSettings(rules: unknown): readonly RuleSettings[] | undefined {
  if (rules === undefined || rules === null) return undefined
  // A value of a wrong type stays what it is, so that its mistake is reported.
  return toSettings(rules, 0) as readonly RuleSettings[]
}

function toSettings(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((each) => toSettings(each, depth + 1))
  if (typeof value !== 'object' || value === null) return value ?? undefined
  const entries = Object.entries(value).map(([key, inner]) => {
    // The keys below `tag` are names of tags.
    return [toCamelCase(key), key === 'tag' ? inner : toSettings(inner, depth + 1)] as const
  })
  return Object.fromEntries(entries)
}

function toCamelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
}
