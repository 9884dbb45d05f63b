import { RE2JS } from 're2js'
import { MAX_PATTERN_LENGTH, MAX_REPLACEMENTS } from './limits.ts'

/** A pattern of a model file, matched in linear time. */
export interface Pattern {
  /** Matches from left to right that do not overlap, empty ones left out. */
  matches(text: string, limit: number): PatternMatch[]
}

/** A match of a pattern. */
export interface PatternMatch {
  readonly start: number
  readonly end: number
  /** Text of each group by number; the whole match is 0. Undefined for a group that did not take part. */
  readonly groups: readonly (string | undefined)[]
  /** The same by name. */
  readonly named: ReadonlyMap<string, string | undefined>
}

/** A replacement of a model file. */
export interface Replacement {
  readonly pattern: Pattern
  readonly template: string
}

/** Compiles a pattern in RE2 syntax; undefined when it is invalid or longer than {@link MAX_PATTERN_LENGTH}. */
export function compilePattern(source: string): Pattern | undefined {
  if (source.length > MAX_PATTERN_LENGTH) return undefined
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(source)
  } catch {
    return undefined
  }
  const names = Object.entries(compiled.namedGroups())
  return {
    matches(text, limit) {
      const matcher = compiled.matcher(text)
      const found: PatternMatch[] = []
      while (found.length < limit && matcher.find()) {
        if (matcher.start() === matcher.end()) continue
        const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, group) => matcher.group(group) ?? undefined)
        const named = new Map(names.map(([name, group]) => [name, groups[group]]))
        found.push({ start: matcher.start(), end: matcher.end(), groups, named })
      }
      return found
    },
  }
}

/** Compiles patterns and drops invalid ones. */
export function compilePatterns(sources: readonly string[] | undefined): readonly Pattern[] {
  return (sources ?? []).map(compilePattern).filter((pattern) => pattern !== undefined)
}

/** Compiles replacements, each a pattern and a template. */
export function compileReplacements(
  rules: readonly { readonly key?: string | undefined; readonly value?: string | undefined }[] | undefined,
): readonly Replacement[] {
  return (rules ?? []).flatMap(({ key = '', value = '' }) => {
    const pattern = compilePattern(key)
    return pattern === undefined ? [] : [{ pattern, template: value }]
  })
}

/** Applies replacements one after the other. */
export function replaceAll(text: string, replacements: readonly Replacement[]): string {
  let result = text
  for (const { pattern, template } of replacements) result = replace(result, pattern, template)
  return result
}

function replace(text: string, pattern: Pattern, template: string): string {
  const parts: string[] = []
  let from = 0
  for (const match of pattern.matches(text, MAX_REPLACEMENTS)) {
    parts.push(text.slice(from, match.start), expandTemplate(template, match))
    from = match.end
  }
  return parts.join('') + text.slice(from)
}

/**
 * Fills in a template: `$1`, `$name` or `${name}` is a group, `$$` a dollar sign. A name extends as far as possible
 * (`$1_x` is the group `1_x`); the name of a missing group gives empty text.
 */
export function expandTemplate(template: string, match: Pick<PatternMatch, 'groups' | 'named'>): string {
  return template.replace(/\$(?:\$|\{(\w+)\}|(\w+))/g, (whole, braced?: string, plain?: string) => {
    const name = braced ?? plain
    if (name === undefined) return whole.slice(1)
    return (/^\d{1,4}$/.test(name) ? match.groups[Number(name)] : match.named.get(name)) ?? ''
  })
}
