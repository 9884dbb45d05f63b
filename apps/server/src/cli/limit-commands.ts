import type { Auth } from '@svc/auth'
import { EACH, formatMicros, formatWindow, type LimitStatus, parseMicros } from '@svc/auth/limits'
import { SvcError } from '@svc/errors'
import { describeLimit, describeLimitStatus } from '../api/accounts/describe-limit.ts'
import type { LimitCommand, NewLimit } from '../config/limit-command.ts'
import type { Answer } from './account-answer.ts'
import { formatDate, formatRows } from './account-table.ts'
import { findUser } from './find-user.ts'

interface LimitCommandParts {
  readonly auth: Pick<Auth, 'accounts' | 'quotas'>
}

const call = { signal: new AbortController().signal }

/** Runs a command about limits in the name of an admin. @throws {SvcError} `not_found`, `invalid_request`, `conflict` */
export function runLimitCommand(command: LimitCommand, parts: LimitCommandParts): Promise<Answer> {
  switch (command.what) {
    case 'limits list':
      return listLimits(parts)
    case 'limits add':
      return addLimit(command.limit, parts)
    case 'limits remove':
      return removeLimit(command.id, parts)
  }
}

async function listLimits({ auth }: LimitCommandParts): Promise<Answer> {
  const all = await auth.quotas.limits.list(call)
  const rows = all.map((status) => {
    const { id, subject, model, window, note, isSoft, isEnabled, count } = status
    const state = isEnabled ? (isSoft ? 'soft' : 'hard') : 'off'
    return [
      ...[id, `${subject.kind}:${subject.id}`, model, formatBounds(status), formatWindow(window), state],
      ...[formatDate(count?.resetsAt), note],
    ]
  })
  return {
    text: formatRows([['ID', 'SUBJECT', 'MODEL', 'USED', 'WINDOW', 'KIND', 'RESETS', 'NOTE'], ...rows]),
    value: all.map(describeLimitStatus),
  }
}

/** What is used of each bound: `3 of 100 requests`. A limit of each has a count for every one, and shows the bounds. */
function formatBounds(status: LimitStatus): string {
  const { maxRequests, maxTokens, maxCostMicros, maxParallel, currency, count } = status
  const used = (
    most: number | undefined,
    value: number | undefined,
    what: string,
    format: (value: number) => string = String,
  ): string[] => {
    if (most === undefined) return []
    return [`${value === undefined ? '' : `${format(value)} of `}${format(most)} ${what}`]
  }
  return [
    ...used(maxRequests, count?.requests, 'requests'),
    ...used(maxTokens, count?.tokens, 'tokens'),
    ...used(maxCostMicros, count?.costMicros, currency, formatMicros),
    ...used(maxParallel, count?.parallel, 'at a time'),
  ].join(', ')
}

async function addLimit(draft: NewLimit, { auth }: LimitCommandParts): Promise<Answer> {
  const { subjectKind, subjectId, budget } = draft
  const isNamed = subjectKind === 'account' && subjectId !== EACH
  const limit = await auth.quotas.limits.create(
    {
      ...draft,
      subjectId: isNamed ? (await findUser(auth, subjectId)).id : subjectId,
      maxCostMicros: budget === undefined ? undefined : readBudget(budget),
    },
    call,
  )
  const details = describeLimit(limit)
  return {
    text: `added the limit ${limit.id}: ${details}\n`,
    value: describeLimitStatus(limit),
    change: { change: 'limit.create', target: limit.id, details },
  }
}

function readBudget(text: string): number {
  const micros = parseMicros(text)
  if (micros !== undefined) return micros
  throw new SvcError('invalid_request', `--budget: ${JSON.stringify(text)} is not an amount such as 12.50`)
}

async function removeLimit(id: string, { auth }: LimitCommandParts): Promise<Answer> {
  const before = await auth.quotas.limits.read(id, call).catch((error: unknown) => {
    if (SvcError.is(error) && error.kind === 'not_found') throw new SvcError('not_found', `there is no limit ${id}`)
    throw error
  })
  await auth.quotas.limits.remove(id, call)
  const details = describeLimit(before)
  return {
    text: `removed the limit ${id}: ${details}\n`,
    value: { removed: true, id },
    change: { change: 'limit.delete', target: id, details },
  }
}
