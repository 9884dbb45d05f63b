import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { replicasQuery } from '../../lib/workers.ts'
import { QueryView } from '../ui/states.tsx'
import { ReplicaTable } from './replica-table.tsx'

/** The models on all workers. Only for servers with workers. */
export function OnWorkers() {
  const { t } = useTranslation('nodes')
  const replicas = useQuery(replicasQuery)
  return (
    <section aria-labelledby="on-workers">
      <h2 id="on-workers">{t('onWorkers')}</h2>
      <QueryView query={replicas} lines={2}>
        {(list) =>
          list.length === 0 ? <p className="muted">{t('noneOnWorkers')}</p> : <ReplicaTable replicas={list} showsNode />
        }
      </QueryView>
    </section>
  )
}
