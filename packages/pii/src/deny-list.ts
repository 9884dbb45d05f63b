import { configError } from './config-error.ts'
import { compileTerms, MIN_TERM_LENGTH, type TermMatcher } from './ner/term-matcher.ts'

/** Terms by group, which are found as whole words in any case. */
export type DenyList = Readonly<Record<string, readonly string[]>>

/** Files with the terms of groups, one a line. */
export type DenyListFiles = Readonly<Record<string, readonly string[]>>

/** The terms of one group. */
export interface DeniedTerms {
  readonly group: string
  readonly terms: TermMatcher
}

/** Most terms of a list. */
export const MAX_LISTED = 10_000

/**
 * Compiles the terms of a detector.
 *
 * @throws SvcError `pii_config`, kind `invalid_request`, for a group without a name, a term that is too short, or too
 *   many terms
 */
export function createDenyList(list: DenyList): DeniedTerms[] {
  const entries = Object.entries(list)
  for (const [group, terms] of entries) {
    if (!Array.isArray(terms)) throw configError(`deny_list[${JSON.stringify(group)}] is not a list`)
  }
  if (entries.reduce((sum, [, terms]) => sum + terms.length, 0) > MAX_LISTED) {
    throw configError(`deny_list: more than ${MAX_LISTED} terms`)
  }
  return entries.flatMap(([group, terms]) => {
    if (group.trim() === '') throw configError('deny_list: a group has no name')
    const where = `deny_list[${JSON.stringify(group)}]`
    for (const [index, term] of terms.entries()) {
      if (typeof term === 'string' && [...term.trim()].length >= MIN_TERM_LENGTH) continue
      throw configError(`${where}[${index}]: a term needs ${MIN_TERM_LENGTH} characters or more`)
    }
    const matcher = compileTerms(terms)
    return matcher === undefined ? [] : [{ group, terms: matcher }]
  })
}
