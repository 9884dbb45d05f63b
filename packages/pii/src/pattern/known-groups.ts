import { configError } from '../config-error.ts'
import type { DetectionSettings } from '../settings.ts'
import { listAlike, MOST_SUGGESTIONS } from './alike-names.ts'
import { NAMED_BUILTINS } from './catalogue.ts'

/** The settings that decide what a detector reports. */
export type ReportingSettings = Pick<DetectionSettings, 'builtins' | 'patterns' | 'denyList' | 'denyListFiles'>

/**
 * Finds the first of some groups that a detector never reports.
 *
 * @param groups as settings name them: groups, or names of built-ins
 * @param recognised the groups of the recogniser, if the detector has one
 * @returns the reason, undefined when all of them are reported
 */
export function findUnknownGroup(
  groups: Iterable<string>,
  { builtins = [], patterns = [], denyList = {}, denyListFiles = {} }: ReportingSettings,
  recognised: readonly string[] = [],
): { readonly group: string; readonly fault: string } | undefined {
  const named = builtins.flatMap((name) => NAMED_BUILTINS.find(name) ?? [])
  const reported = new Set([
    ...named.map(({ group }) => group),
    ...patterns.map(({ name }) => name),
    ...Object.keys(denyList),
    ...Object.keys(denyListFiles),
    ...recognised,
  ])
  const names = new Set(named.flatMap(({ name, aliases, groupAliases }) => [name, ...aliases, ...groupAliases]))
  for (const group of groups) {
    if (!reported.has(group) && !names.has(group)) return { group, fault: describe(group, [...reported]) }
  }
  return undefined
}

/**
 * Checks that operators and minimum scores are of groups that a detector reports.
 *
 * @param recognised the groups of the recogniser, if the detector has one
 * @throws SvcError `pii_config`, kind `invalid_request`, naming the group
 */
export function refuseUnknownGroups(
  settings: ReportingSettings & Pick<DetectionSettings, 'operators' | 'entityMinScores'>,
  recognised: readonly string[] = [],
): void {
  const { operators = {}, entityMinScores = {} } = settings
  for (const [name, entries] of Object.entries({ operators, entity_min_scores: entityMinScores })) {
    const unknown = findUnknownGroup(Object.keys(entries), settings, recognised)
    if (unknown === undefined) continue
    throw configError(`${name}[${JSON.stringify(unknown.group)}]: ${unknown.fault}`)
  }
}

function describe(group: string, reported: readonly string[]): string {
  const alike = listAlike(group, reported)
  const shown = alike.length > 0 ? alike : reported.slice(0, MOST_SUGGESTIONS)
  return `this detector reports no group of that name; it reports ${shown.join(', ')}${reported.length > shown.length ? ' and others' : ''}`
}
