import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatClock, formatDuration, formatExactTime, formatNumber } from '../../lib/format.ts'
import type { HeldRows } from '../../lib/held-rows.ts'
import { toRem } from '../../lib/text-size.ts'
import { type RequestTrace, summaryQuery } from './api.ts'
import { reachesOtherDay } from './list-query.ts'
import { RequestStatus } from './request-status.tsx'
import { DurationBar, type TableLook, type TraceColumn, TraceLink, TraceTable } from './trace-table.tsx'
import * as styles from './traces.module.css'
import type { TracesAddress } from './use-traces-search.ts'

/** The list of requests. */
export function RequestTable({
  address,
  held,
  look,
}: {
  readonly address: TracesAddress
  readonly held: HeldRows<RequestTrace>
  readonly look: TableLook
}) {
  const { t } = useTranslation('traces')
  const p95 = useQuery(summaryQuery(address.search)).data?.p95_ms ?? 0
  const isLong = reachesOtherDay(address.search.hours)
  const columns: readonly TraceColumn<RequestTrace>[] = [
    {
      id: 'time',
      head: `${t('column.time')} ↓`,
      width: toRem(isLong ? 140 : 94),
      className: 'freeCell minorCell monospace muted',
      cell: ({ timestamp }) => (
        <time dateTime={timestamp} title={formatExactTime(timestamp)}>
          {formatClock(timestamp, { day: isLong })}
        </time>
      ),
    },
    {
      id: 'status',
      head: t('column.status'),
      width: toRem(72),
      className: 'freeCell endCell',
      cell: (trace) => <RequestStatus trace={trace} />,
    },
    {
      id: 'request',
      head: t('column.request'),
      className: 'mainCell',
      cell: ({ id, request: { method, path } }) => (
        <TraceLink id={id} address={address}>
          <span className="monospace">
            <span className="faint notOnPhone">{method} </span>
            {path}
          </span>
        </TraceLink>
      ),
    },
    {
      id: 'model',
      head: t('column.model'),
      width: '16%',
      className: 'minorCell',
      cell: ({ model, served_model: served }) => (
        <span className="clip" title={served ?? model}>
          {served ?? model ?? ''}
        </span>
      ),
    },
    {
      id: 'user',
      head: t('column.user'),
      width: '11%',
      className: 'minorCell',
      cell: ({ user_name: name }) => <span className="clip muted">{name}</span>,
    },
    {
      id: 'duration',
      head: t('column.duration'),
      width: toRem(124),
      isNumber: true,
      className: 'freeCell minorCell',
      cell: ({ duration }) => <DurationBar ms={duration / 1e6} usualMs={p95} text={formatDuration(duration / 1e6)} />,
    },
    {
      id: 'tokens',
      head: t('column.tokens'),
      width: toRem(76),
      isNumber: true,
      className: `number freeCell minorCell ${styles.tokens}`,
      cell: ({ prompt_tokens: prompt, completion_tokens: completion }) =>
        prompt === undefined && completion === undefined ? '' : formatNumber((prompt ?? 0) + (completion ?? 0)),
    },
  ]
  return <TraceTable label={t('list.requests')} address={address} held={held} columns={columns} look={look} />
}
