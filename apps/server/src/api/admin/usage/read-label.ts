import type { UsageLabel } from '@svc/auth/ports'
import { END_USER_LABEL, OTHER_VALUE, toTagLabel } from '@svc/auth/usage'
import { SvcError } from '@svc/errors'
import type { Call } from '../../../http/call.ts'
import type { EndUserNaming } from '../../../spend/attribution.ts'
import { TAG_NAME } from '../../../spend/request-tags.ts'

const MAX_LENGTH = 1024

function refuse(param: string, reason: string): SvcError {
  return new SvcError('invalid_request', `${param} ${reason}`, { details: { param } })
}

function readGiven(call: Call, param: string): string | undefined {
  const given = call.query(param)
  if (given === undefined || given === '') return undefined
  if (given.length > MAX_LENGTH || given.includes('\0')) throw refuse(param, 'is too long or holds control characters')
  return given
}

function readTagName(param: string, name: string): string {
  if (TAG_NAME.test(name) || name === OTHER_VALUE) return toTagLabel(name)
  throw refuse(param, 'names no tag: a name has 1 to 32 of the characters a-z, 0-9, _, . and -')
}

/** The label by which rows are grouped. */
function readGroup(call: Call): string | undefined {
  const group = readGiven(call, 'group_by')
  if (group === undefined || group === END_USER_LABEL) return group
  if (group.startsWith('tag:')) return readTagName('group_by', group.slice('tag:'.length))
  throw refuse('group_by', 'is end_user or tag:NAME')
}

/** The end user or the tag by which rows are filtered. */
function readFilter(call: Call, endUsers: Pick<EndUserNaming, 'find'>): UsageLabel | undefined {
  const [tag, endUser] = [readGiven(call, 'tag'), readGiven(call, 'end_user')]
  if (tag !== undefined && endUser !== undefined) throw refuse('end_user', 'cannot be used together with tag')
  if (endUser !== undefined) {
    return { name: END_USER_LABEL, value: endUser === OTHER_VALUE ? endUser : endUsers.find(endUser) }
  }
  if (tag === undefined) return undefined
  const at = tag.indexOf(':')
  if (at < 0) throw refuse('tag', 'is NAME:VALUE')
  return { name: readTagName('tag', tag.slice(0, at)), value: tag.slice(at + 1) }
}

/**
 * The end user or tag of a query: `group_by=tag:team`, `tag=team:a`, `end_user=NAME`. Sums are of one of them, so two
 * different ones cannot be used together.
 *
 * @returns undefined for a query without one
 * @throws {SvcError} `invalid_request`
 */
export function readLabel(call: Call, endUsers: Pick<EndUserNaming, 'find'>): UsageLabel | undefined {
  const [group, filter] = [readGroup(call), readFilter(call, endUsers)]
  if (group === undefined) return filter
  if (filter === undefined) return { name: group, isGroup: true }
  if (filter.name === group) return { ...filter, isGroup: true }
  throw refuse('group_by', 'must be of the same tag as the filter, or of end users as the filter')
}
