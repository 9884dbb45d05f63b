import type { SvcError } from '@svc/errors'

const CODES: ReadonlySet<string> = new Set(['quota_exceeded', 'limit_exceeded', 'budget_exceeded'])

/** Whether a refusal says that a quota, a limit or a budget is used up. */
export const isUsedUp = ({ code }: Pick<SvcError, 'code'>): boolean => CODES.has(code)
