import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'
import { monitorQuery } from './api.ts'
import { Gauges } from './gauges.tsx'
import { LoadModel } from './load-model.tsx'
import { LoadedModels } from './loaded-models.tsx'
import * as styles from './monitor.module.css'

const OnWorkers = lazy(async () => ({ default: (await import('../../components/workers/on-workers.tsx')).OnWorkers }))

/** The host and the models that are loaded. */
export function MonitorPage() {
  const { t } = useTranslation('monitor')
  const state = useQuery(monitorQuery)
  const { distributed: hasWorkers } = useCapabilities()
  return (
    <>
      <PageHead title={t('title')} />
      <div className={`page stack ${styles.page}`}>
        <section aria-label={t('host')}>
          <QueryView query={state} lines={3}>
            {({ resources }) => <Gauges resources={resources} at={state.dataUpdatedAt} />}
          </QueryView>
        </section>
        <section aria-labelledby="loaded-models">
          <div className={`row wrap ${styles.actionRow}`}>
            <h2 id="loaded-models">{t('models.title')}</h2>
            <LoadModel loaded={state.data?.loaded_models.map(({ id }) => id) ?? []} />
          </div>
          {state.data && <LoadedModels models={state.data.loaded_models} />}
        </section>
        {hasWorkers && (
          <Suspense>
            <OnWorkers />
          </Suspense>
        )}
      </div>
    </>
  )
}
