import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes, formatDuration, formatPercent } from '../../lib/format.ts'
import { findFigures } from '../../lib/model-figures.ts'
import { type LoadedModel, stopModel, systemQuery } from '../../lib/server-state.ts'
import { useNow } from '../../lib/use-now.ts'
import * as styles from './home.module.css'
import { PageLink } from './page-link.tsx'

/** The models in memory, with their sizes. "unknown", "measuring" and "0 B" are different facts. */
export function LoadedModels() {
  const { t } = useTranslation('home')
  const query = useQuery(systemQuery)
  const count = query.data?.loaded_models?.length
  const { hasProcess, hasVram } = findFigures(query.data?.loaded_models ?? [])
  return (
    <section className="card">
      <header>
        <h2>{t('loaded.title')}</h2>
        {count !== undefined && count > 0 && <span className="meta">{t('loaded.count', { count })}</span>}
        <PageLink to="monitor" isPlain>
          {t('loaded.monitor')}
          <Icon name="chevron-right" small />
        </PageLink>
      </header>
      <QueryView query={query} lines={2}>
        {({ loaded_models: models = [] }) =>
          models.length === 0 ? (
            <EmptyState icon="cube" title={t('loaded.none')}>
              {t('loaded.noneAbout')}
            </EmptyState>
          ) : (
            <table className={`table stacked ${styles.loadedTable}`}>
              <thead>
                <tr>
                  <th scope="col">{t('loaded.model')}</th>
                  <th scope="col">{t('loaded.backend')}</th>
                  {hasVram && (
                    <th scope="col" className="number">
                      {t('loaded.vram')}
                    </th>
                  )}
                  {hasProcess && (
                    <th scope="col" className="number">
                      {t('loaded.cpu')}
                    </th>
                  )}
                  {hasProcess && (
                    <th scope="col" className="number">
                      {t('loaded.uptime')}
                    </th>
                  )}
                  <th scope="col">
                    <span className="visuallyHidden">{t('loaded.action')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {models.map((model) => (
                  <Row key={model.id} {...{ model, hasProcess, hasVram }} />
                ))}
              </tbody>
            </table>
          )
        }
      </QueryView>
    </section>
  )
}

function Row({
  model: { id, backend, process, size_vram },
  hasProcess,
  hasVram,
}: {
  readonly model: LoadedModel
  readonly hasProcess: boolean
  readonly hasVram: boolean
}) {
  const { t } = useTranslation('home')
  const { state } = useConnection()
  const now = useNow(true, 15_000)
  const stop = useMutation({
    mutationFn: () => stopModel(id),
    onError: (error) => notify('error', error.message),
    onSuccess: () => notify('success', t('loaded.stopped', { model: id })),
  })
  const cpu = process?.cpu_percent
  return (
    <tr>
      <td className="mainCell">
        <Link
          className="mainLink medium clip"
          to="/app/chat/$id"
          params={{ id }}
          title={t('loaded.chat', { model: id })}
        >
          {id}
        </Link>
      </td>
      <td className="minorCell freeCell">{backend}</td>
      {hasVram && (
        <td className="number freeCell minorCell">
          <span className="stackedOnly">{t('loaded.vram')} </span>
          {size_vram === undefined ? t('loaded.unknown') : formatBytes(size_vram)}
        </td>
      )}
      {hasProcess && (
        <td className="number freeCell minorCell">
          {cpu === undefined
            ? t(process === undefined ? 'loaded.unknown' : 'loaded.measuring')
            : formatPercent(cpu / 100, 1)}
        </td>
      )}
      {hasProcess && (
        <td className="number freeCell minorCell">
          {process === undefined
            ? t('loaded.unknown')
            : formatDuration(Math.max(0, now - new Date(process.started_at).getTime()))}
        </td>
      )}
      <td className="number freeCell endCell">
        <Button
          kind="ghost"
          small
          busy={stop.isPending}
          disabled={state === 'offline'}
          aria-label={t('loaded.stopName', { model: id })}
          onClick={() => stop.mutate()}
        >
          {t('loaded.stop')}
        </Button>
      </td>
    </tr>
  )
}
