import { useTranslation } from 'react-i18next'
import { Status } from '../../components/ui/status.tsx'
import { formatClock, formatDuration, formatExactTime } from '../../lib/format.ts'
import type { HeldRows } from '../../lib/held-rows.ts'
import { toRem } from '../../lib/text-size.ts'
import type { CallTrace } from './api.ts'
import { reachesOtherDay } from './list-query.ts'
import { DurationBar, type TableLook, type TraceColumn, TraceLink, TraceTable } from './trace-table.tsx'
import type { TracesAddress } from './use-traces-search.ts'

const TONES = { running: 'run', completed: 'ok', failed: 'bad' } as const

export function CallStatus({ status }: { readonly status: CallTrace['status'] }) {
  const { t } = useTranslation('traces')
  return <Status tone={TONES[status]}>{t(`status.${status}`)}</Status>
}

/** The list of calls to backends. Bars compare a call with the longest of the page. */
export function CallTable({
  address,
  held,
  look,
}: {
  readonly address: TracesAddress
  readonly held: HeldRows<CallTrace>
  readonly look: TableLook
}) {
  const { t } = useTranslation('traces')
  const isLong = reachesOtherDay(address.search.hours)
  const longest = Math.max(0, ...held.rows.map(({ duration }) => duration / 1e6))
  const columns: readonly TraceColumn<CallTrace>[] = [
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
      width: toRem(112),
      className: 'freeCell endCell',
      cell: ({ status }) => <CallStatus status={status} />,
    },
    {
      id: 'type',
      head: t('column.type'),
      className: 'mainCell',
      cell: ({ id, type, summary }) => (
        <TraceLink id={id} address={address}>
          <span className="monospace">{type}</span> <span className="faint notOnPhone">{summary}</span>
        </TraceLink>
      ),
    },
    {
      id: 'model',
      head: t('column.model'),
      width: '20%',
      className: 'minorCell',
      cell: ({ model_name: model }) => <span className="clip">{model}</span>,
    },
    {
      id: 'backend',
      head: t('column.backend'),
      width: '13%',
      className: 'minorCell',
      cell: ({ backend }) => <span className="clip muted">{backend}</span>,
    },
    {
      id: 'duration',
      head: t('column.duration'),
      width: toRem(148),
      isNumber: true,
      className: 'freeCell minorCell',
      cell: ({ duration }) => (
        <DurationBar ms={duration / 1e6} usualMs={longest} text={formatDuration(duration / 1e6)} />
      ),
    },
  ]
  return <TraceTable label={t('list.calls')} address={address} held={held} columns={columns} look={look} />
}
