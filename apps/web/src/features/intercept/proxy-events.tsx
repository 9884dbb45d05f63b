import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatBytes, formatDuration } from '../../lib/format.ts'
import { type ProxyEvent, proxyEventsQuery } from './api.ts'

/** The last events of the proxy. */
export function ProxyEvents() {
  const { t } = useTranslation('intercept')
  const events = useQuery(proxyEventsQuery)
  return (
    <div className="card">
      <header>
        <h2>{t('events')}</h2>
        <Link className="meta" to="/app/events" search={{ origin: 'proxy' }}>
          {t('allEvents')}
        </Link>
        <span className="push">
          <Button small kind="ghost" icon="regenerate" busy={events.isFetching} onClick={() => void events.refetch()}>
            {t('refresh')}
          </Button>
        </span>
      </header>
      <QueryView query={events} lines={4}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="events" title={t('noEvents')}>
              {t('noEventsAbout')}
            </EmptyState>
          ) : (
            <EventTable rows={rows} />
          )
        }
      </QueryView>
    </div>
  )
}

function EventTable({ rows }: { readonly rows: readonly ProxyEvent[] }) {
  const { t } = useTranslation('intercept')
  return (
    <table className="table stacked compact">
      <thead>
        <tr>
          <th scope="col">{t('time')}</th>
          <th scope="col">{t('kindHead')}</th>
          <th scope="col">{t('host')}</th>
          <th scope="col">{t('outcome')}</th>
          <th scope="col" className="number">
            {t('bytes')}
          </th>
          <th scope="col" className="number">
            {t('took')}
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((event) => (
          <tr key={event.id}>
            <td className="minorCell">
              <RelativeTime time={event.created_at} />
            </td>
            <td className="mainCell">{t(`kind.${event.kind}`)}</td>
            <td className="minorCell freeCell">{event.host ?? event.pattern_id}</td>
            <td className="endCell">
              <Outcome event={event} />
            </td>
            <td className="minorCell number">
              {event.bytes_sent !== undefined &&
                t('sentReceived', {
                  sent: formatBytes(event.bytes_sent),
                  received: formatBytes(event.bytes_received ?? 0),
                })}
            </td>
            <td className="minorCell number">
              {event.duration_ms === undefined ? '' : formatDuration(event.duration_ms)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

const TONES = { relayed: 'ok', blocked: 'bad', refused: 'warn', failed: 'bad', aborted: '' } as const

function Outcome({ event: { outcome, status_code: status, intercepted, action } }: { readonly event: ProxyEvent }) {
  const { t } = useTranslation('intercept')
  if (outcome !== undefined && outcome !== 'done')
    return (
      <Badge tone={TONES[outcome]}>
        {t(`outcomes.${outcome}`)} {status}
      </Badge>
    )
  if (action !== undefined) return <Badge tone={action === 'block' ? 'bad' : 'warn'}>{t(`action.${action}`)}</Badge>
  return intercepted === undefined ? null : <Badge>{intercepted ? t('intercepted') : t('tunnel')}</Badge>
}
