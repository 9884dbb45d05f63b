import { createMatcher } from '../../lib/match-words.ts'
import type { ConfigField } from './field-catalogue.ts'
import type { Problem } from './problem.ts'

/** The choices that decide which fields the form shows. */
export interface FieldChoice {
  /** The search term, for every section. */
  readonly term: string
  /** The section that is open; undefined if the server names no section. */
  readonly section: string | undefined
  /** Whether advanced keys are shown that the file does not set. */
  readonly showsAll: boolean
  readonly isSet: (field: ConfigField) => boolean
}

/** Whether a term is a search. */
export const isSearch = (term: string): boolean => term.trim() !== ''

/** Chooses the keys that the form shows. A search looks at all keys; else the keys of the section are shown. */
export function chooseFields(
  fields: readonly ConfigField[],
  { term, section, showsAll, isSet }: FieldChoice,
): readonly ConfigField[] {
  if (isSearch(term)) {
    const matches = createMatcher(term)
    return fields.filter(({ path, label, description }) => matches(`${path} ${label} ${description}`))
  }
  return fields.filter((field) => field.section === section && (showsAll || !field.isAdvanced || isSet(field)))
}

/** Finds the first problem of a key or of something below it. */
export function findProblem(problems: readonly Problem[], path: string): Problem | undefined {
  return problems.find((problem) => problem.path === path || problem.path.startsWith(`${path}.`))
}
