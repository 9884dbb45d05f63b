import { formatWindow, type LimitNotice } from '@svc/auth/limits'
import type { ServerSeries } from '../monitoring/server-series.ts'
import type { Logger } from '../ports.ts'

/** Tells the operator that 80 or 100 percent of a limit are used: a line in the log, and a count. */
export function tellLimitNotice(
  { rule, percent }: LimitNotice,
  { series, log }: { readonly series: Pick<ServerSeries, 'countLimitNotice'>; readonly log: Logger },
): void {
  const { id, subject, model, window, isSoft } = rule.limit
  series.countLimitNotice(percent)
  log.warn(
    { limit: id, subject: subject.kind, counted: rule.subjectId, model, window: formatWindow(window), isSoft, percent },
    percent === 100 ? 'a limit is used up' : 'a limit is nearly used up',
  )
}
