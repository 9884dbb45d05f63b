import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState, ErrorBlock, NoMatch, Skeleton } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { filterLines } from '../../lib/backend-log/log-lines.ts'
import { useLog } from '../../lib/backend-log/use-log.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import { loadedNamesQuery, readLogSource } from './api.ts'
import { LogTools } from './log-tools.tsx'
import { LogView } from './log-view.tsx'
import { LoggingOff } from './logging-off.tsx'
import * as styles from './logs.module.css'
import type { LogsSearch } from './search.ts'

const route = getRouteApi('/app/backends/logs/$model')

/** Output of a model's backends, live. */
export function LogsPage() {
  const { t } = useTranslation('logs')
  const { model } = route.useParams()
  const search: LogsSearch = route.useSearch()
  const navigate = useNavigate()
  const { state } = useConnection()
  const source = useMemo(() => readLogSource(model), [model])
  const log = useLog(source)
  const [isAnnounced, setAnnounced] = useState(false)
  const loaded = useQuery(loadedNamesQuery)
  const { q, stream } = search
  const shown = useMemo(() => filterLines(log.lines, { q, stream }), [log.lines, q, stream])
  const change = (changes: LogsSearch) =>
    void navigate({
      to: '/app/backends/logs/$model',
      params: { model },
      search: { ...search, ...changes },
      replace: true,
    })
  const isRunning = loaded.data?.includes(model)
  return (
    <div className={styles.page}>
      <PageHead title={t('title', { model })}>
        <span className="row wrap">
          {isRunning !== undefined && (
            <Status tone={isRunning ? 'ok' : 'neutral'}>{isRunning ? t('loaded') : t('notLoaded')}</Status>
          )}
          <span className="meta">{state === 'offline' ? t('link.paused') : t(`link.${log.link}`)}</span>
        </span>
      </PageHead>
      <LogTools
        model={model}
        search={search}
        shown={shown}
        isAnnounced={isAnnounced}
        onAnnounce={setAnnounced}
        onChange={change}
      >
        <span className="meta push">
          {t('shown', { count: shown.length, shown: formatNumber(shown.length), all: formatNumber(log.lines.length) })}
        </span>
      </LogTools>
      <LoggingOff />
      {log.error !== undefined && <ErrorBlock error={log.error} />}
      {log.lines.length === 0 ? (
        log.isRead ? (
          <EmptyState icon="raw" title={t('empty.title')}>
            {isRunning === false ? t('empty.notLoaded') : t('empty.silent')}
          </EmptyState>
        ) : (
          log.error === undefined && <Skeleton lines={12} height={20} />
        )
      ) : shown.length === 0 ? (
        <NoMatch onClear={() => change({ q: undefined, stream: undefined })} />
      ) : (
        <LogView
          key={model}
          lines={shown}
          wrap={search.wrap === true}
          time={search.time ?? 'clock'}
          startAt={search.at}
          isAnnounced={isAnnounced}
        />
      )}
    </div>
  )
}
