import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { replicasQuery } from '../../lib/workers.ts'
import { ReplicaState } from './replica-state.tsx'
import * as styles from './workers.module.css'

/** The workers that a model runs on, with the way to the reasons. Only for servers with workers. */
export function RunsOn({ model }: { readonly model: string }) {
  const { t } = useTranslation('nodes')
  const replicas = useQuery(replicasQuery).data
  if (replicas === undefined) return null
  const own = replicas.filter(({ model_name }) => model_name === model)
  return (
    <section aria-label={t('runsOn')}>
      <h3>{t('runsOn')}</h3>
      {own.length === 0 && <p className="muted">{t('runsNowhere')}</p>}
      <ul className={styles.places}>
        {own.map(({ id, node_id, node_name = node_id, state }) => (
          <li key={id} className="row">
            <Link className="clip" to="/app/nodes/node/$id" params={{ id: node_id }}>
              {node_name}
            </Link>
            <ReplicaState state={state} />
          </li>
        ))}
      </ul>
      <Link to="/app/nodes/placement" search={{ model }}>
        {t('placement.why')}
      </Link>
    </section>
  )
}
