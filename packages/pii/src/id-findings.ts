import type { JudgedDetection } from './detector.ts'
import { STRUCTURED_NAMES, toStructuredGroup } from './pattern/structured-names.ts'

const EMAIL = 'EMAIL'
/** Built-ins that find numbers of people and machines: any long id looks like one of them. */
const NUMBER_GROUPS: ReadonlySet<string> = new Set(
  STRUCTURED_NAMES.map(toStructuredGroup).filter((group) => group !== EMAIL),
)
/** Names of recognisers for addresses and secrets; their other groups are guesses in an id. */
const NAMED_SECRETS = /e-?mail|secret|passw|credential|api_?key|token/i

/** Whether a finding in an id counts: an e-mail address, a secret, or a match of the operator's own pattern. */
export function countsInId({ source, group, rank }: JudgedDetection): boolean {
  if (source === 'ner') return NAMED_SECRETS.test(group)
  const isOwn = rank === undefined
  return isOwn || !NUMBER_GROUPS.has(group)
}
