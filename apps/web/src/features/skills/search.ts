import { readSearchText } from '../../lib/search-values.ts'

/** Search parameters of the page of a skill. */
export interface SkillSearch {
  /** The file of the skill that is open; its text without. */
  readonly file?: string | undefined
}

export function readSkillSearch({ file }: Record<string, unknown>): SkillSearch {
  return { file: readSearchText(file) }
}
