import type { JudgedDetection } from './detector.ts'
import { STRUCTURED_BUILTINS } from './pattern/structured/catalogue.ts'

const EMAIL = 'EMAIL'
/** Built-ins that find numbers of people and machines: any long id looks like one of them. */
const NUMBER_GROUPS: ReadonlySet<string> = new Set(
  STRUCTURED_BUILTINS.map(({ group }) => group).filter((group) => group !== EMAIL),
)
/** What recognisers of entities call addresses and secrets; all else that they see in an id is a guess. */
const NAMED_SECRETS = /e-?mail|secret|passw|credential|api_?key|token/i

/** Whether a finding in an id is one: an e-mail address, a secret, or what a pattern of the operator's own finds. */
export function countsInId({ source, group, rank }: JudgedDetection): boolean {
  if (source === 'ner') return NAMED_SECRETS.test(group)
  const isOwn = rank === undefined
  return isOwn || !NUMBER_GROUPS.has(group)
}
