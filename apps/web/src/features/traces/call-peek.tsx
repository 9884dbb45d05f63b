import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { formatClock, formatDuration } from '../../lib/format.ts'
import { type CallTrace, callQuery } from './api.ts'
import { CallStatus } from './call-table.tsx'
import { Peek } from './peek.tsx'
import type { TraceList } from './use-trace-list.ts'

/** One call to a backend with its figures, and the way to its request. */
export function CallPeek({
  id,
  list: { held, goNext, goPrevious },
  onClose,
}: {
  readonly id: string
  readonly list: TraceList<CallTrace>
  readonly onClose: () => void
}) {
  const { t } = useTranslation('traces')
  const query = useQuery(callQuery(id))
  const head = query.data ?? held?.rows.find((row) => row.id === id)
  return (
    <Peek
      title={head === undefined ? '' : `${head.type} ${head.model_name}`}
      label={t('peek.call')}
      about={
        head && (
          <>
            <CallStatus status={head.status} />
            <span className="separator" />
            {formatClock(head.timestamp, { day: true })}
            <span className="separator" />
            {formatDuration(head.duration / 1e6)}
          </>
        )
      }
      {...{ goNext, goPrevious, onClose }}
      footer={
        head?.correlation_id !== undefined && (
          <Link className={buttonClass('small')} to="/app/traces" search={{ q: head.correlation_id, hours: 168 }}>
            <Icon name="traces" small />
            {t('peek.openRequest')}
          </Link>
        )
      }
    >
      <QueryView query={query} lines={5}>
        {({ error, model_name: model, backend, summary, data }) => (
          <>
            {error !== undefined && <Notice tone="bad">{error}</Notice>}
            <dl className="facts">
              <dt>{t('fact.model')}</dt>
              <dd>{model}</dd>
              <dt>{t('fact.backend')}</dt>
              <dd>{backend}</dd>
              <dt>{t('fact.summary')}</dt>
              <dd>{summary}</dd>
              {Object.entries(data).map(([name, value]) => (
                <div key={name} className="factRow">
                  <dt className="monospace">{name}</dt>
                  <dd>{String(value)}</dd>
                </div>
              ))}
            </dl>
          </>
        )}
      </QueryView>
    </Peek>
  )
}
