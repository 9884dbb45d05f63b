import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { polledResourcesQuery, polledSystemQuery } from './api.ts'
import { Gauges } from './gauges.tsx'
import { LoadModel } from './load-model.tsx'
import { LoadedModels } from './loaded-models.tsx'
import './monitor.css'

/** The host and the models that are loaded. */
export function MonitorPage() {
  const { t } = useTranslation('monitor')
  const resources = useQuery(polledResourcesQuery)
  const system = useQuery(polledSystemQuery)
  return (
    <>
      <PageHead title={t('title')} />
      <div className="page stack monitor">
        <section aria-label={t('host')}>
          <QueryView query={resources} lines={3}>
            {(data) => <Gauges resources={data} at={resources.dataUpdatedAt} />}
          </QueryView>
        </section>
        <section aria-labelledby="loaded-models">
          <div className="row wrap monitor-row">
            <h2 id="loaded-models">{t('models.title')}</h2>
            <LoadModel loaded={system.data?.loaded_models.map(({ id }) => id) ?? []} />
          </div>
          <QueryView query={system} lines={3}>
            {({ loaded_models: models }) => <LoadedModels models={models} />}
          </QueryView>
        </section>
      </div>
    </>
  )
}
