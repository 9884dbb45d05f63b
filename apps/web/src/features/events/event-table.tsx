import { Link } from '@tanstack/react-router'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { RowGap, ScrolledTable } from '../../components/ui/scrolled-table.tsx'
import { Status } from '../../components/ui/status.tsx'
import * as textButtonStyles from '../../components/ui/text-button.module.css'
import { useVirtualRows } from '../../components/ui/use-virtual-rows.ts'
import { formatBytes, formatClock, formatDuration, formatExactTime, formatNumber } from '../../lib/format.ts'
import { textScale, toRem } from '../../lib/text-size.ts'
import { type UserLabels, useUserLabels } from '../../lib/users.ts'
import type { AuditEvent } from './api.ts'
import { readDeed, readSubject } from './describe-event.ts'
import * as styles from './events.module.css'
import { type EventsSearch, isChangeKind } from './search.ts'

const ROW_HEIGHT = 36 * textScale
const COLUMNS = ['time', 'kind', 'deed', 'subject', 'details', 'user', 'correlation'] as const
const WIDTHS = {
  time: toRem(166),
  kind: toRem(108),
  deed: toRem(112),
  subject: '14%',
  user: '8%',
  correlation: '10%',
} as const

/** The events, the newest first. Long lists draw only the rows in view. */
export function EventTable({
  rows,
  onFilter,
}: {
  readonly rows: readonly AuditEvent[]
  readonly onFilter: (changes: EventsSearch) => void
}) {
  const { t } = useTranslation('events')
  const { labelOf } = useUserLabels()
  const scroller = useRef<HTMLElement>(null)
  const { indexes, before, after } = useVirtualRows(rows.length, scroller, ROW_HEIGHT)
  return (
    <ScrolledTable
      className={`table ${styles.table} stacked`}
      label={t('list')}
      box={scroller}
      rowCount={rows.length + 1}
    >
      <colgroup>
        {COLUMNS.map((name) => (
          <col key={name} style={name in WIDTHS ? { width: WIDTHS[name as keyof typeof WIDTHS] } : {}} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {COLUMNS.map((name) => (
            <th key={name} scope="col">
              {t(`column.${name}`)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        <RowGap height={before} />
        {indexes.map((index) => {
          const event = rows[index]
          return event === undefined ? null : (
            <EventRow key={event.id} event={event} index={index} labelOf={labelOf} onFilter={onFilter} />
          )
        })}
        <RowGap height={after} />
      </tbody>
    </ScrolledTable>
  )
}

function EventRow({
  event,
  index,
  labelOf,
  onFilter,
}: {
  readonly event: AuditEvent
  readonly index: number
  readonly labelOf: UserLabels['labelOf']
  readonly onFilter: (changes: EventsSearch) => void
}) {
  const { t } = useTranslation('events')
  const { kind, origin, created_at: time, user_id: user, correlation_id: correlation } = event
  const { word, tone } = readDeed(event)
  return (
    <tr data-row aria-rowindex={index + 2}>
      <td className="freeCell minorCell monospace muted">
        <time dateTime={time} title={formatExactTime(time)}>
          {formatClock(time, { day: true })}
        </time>
      </td>
      <td className="minorCell">
        <span className="clip" title={origin === undefined ? undefined : t(`origin.${origin}`)}>
          {t(`kind.${kind}`)}
        </span>
      </td>
      <td className="freeCell endCell">
        <Status tone={tone}>{t(`deed.${word}`)}</Status>
      </td>
      <td className="mainCell">
        <span className="clip monospace">{readSubject(event)}</span>
      </td>
      <td className="minorCell">
        <Details event={event} />
      </td>
      <td className="minorCell">
        {user === undefined ? (
          <span className="clip">{event.actor}</span>
        ) : (
          <button
            type="button"
            className={`${textButtonStyles.textButton} clip`}
            title={user}
            onClick={() => onFilter({ user })}
          >
            {labelOf(user)}
          </button>
        )}
      </td>
      <td className="minorCell">
        {correlation !== undefined && !isChangeKind(event.kind) && (
          <Link
            className="monospace clip"
            to="/app/traces"
            search={{ q: correlation, hours: 168 }}
            title={correlation}
            preload={false}
          >
            {correlation}
          </Link>
        )}
      </td>
    </tr>
  )
}

/** Places and figures of an event in one line. */
function Details({ event }: { readonly event: AuditEvent }) {
  const { t } = useTranslation('events')
  const { kind, segment, byte_offset: offset, length, score, origin, direction } = event
  const { status_code: status, bytes_sent: sent, bytes_received: received, duration_ms: duration } = event
  const { target, target_name: targetName, details, tool, address } = event
  const parts = [
    targetName ?? target,
    details,
    tool !== undefined && t('detail.tool', { tool }),
    address !== undefined && t('detail.from', { address }),
    origin !== undefined && t(`origin.${origin}`),
    direction !== undefined && t(`direction.${direction}`),
    segment,
    offset !== undefined && length !== undefined && t('detail.place', { from: offset, to: offset + length }),
    score !== undefined && t('detail.score', { score: formatNumber(score, 2) }),
    status !== undefined && t('detail.status', { status }),
    sent !== undefined && t('detail.sent', { size: formatBytes(sent) }),
    received !== undefined && t('detail.received', { size: formatBytes(received) }),
    duration !== undefined &&
      (kind === 'admission' ? t('detail.retryAfter', { time: formatDuration(duration) }) : formatDuration(duration)),
    event.upgraded === true && t('detail.upgraded'),
  ].filter((part): part is string => typeof part === 'string' && part !== '')
  const text = parts.join(', ')
  return (
    <span className="clip muted" title={text}>
      {text}
    </span>
  )
}
