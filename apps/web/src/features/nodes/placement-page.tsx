import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { SelectFilter } from '../../components/ui/field.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { LoadProgress } from '../../components/workers/load-progress.tsx'
import { ReplicaTable } from '../../components/workers/replica-table.tsx'
import { modelNamesQuery } from '../../lib/server-state.ts'
import { replicasQuery } from '../../lib/workers.ts'
import { type Placement, placementQuery } from './api.ts'
import * as styles from './nodes.module.css'
import { NodesFrame } from './nodes-frame.tsx'
import type { PlacementSearch } from './search.ts'
import { VerdictTable } from './verdict-table.tsx'

const route = getRouteApi('/app/nodes/placement')

/** Where a model runs, where its next replica would run, and why not elsewhere. */
export function PlacementPage() {
  const { t } = useTranslation('nodes')
  const { model }: PlacementSearch = route.useSearch()
  const navigate = route.useNavigate()
  const known = useQuery(modelNamesQuery).data ?? []
  const names = model === undefined || known.includes(model) ? known : [model, ...known]
  return (
    <NodesFrame title={t('placement.title')}>
      <div className={`row wrap ${styles.bar}`}>
        <SelectFilter
          label={t('placement.choose')}
          value={model ?? ''}
          options={[['', t('placement.choose')], ...names.map((name) => [name, name] as const)]}
          onChange={({ target }) =>
            void navigate({ search: target.value === '' ? {} : { model: target.value }, replace: true })
          }
        />
      </div>
      {model === undefined ? (
        <EmptyState icon="route" title={t('placement.choose')}>
          {t('placement.about')}
        </EmptyState>
      ) : (
        <Explained key={model} model={model} />
      )}
    </NodesFrame>
  )
}

function Explained({ model }: { readonly model: string }) {
  const { t } = useTranslation('nodes')
  const placement = useQuery(placementQuery(model))
  const own = useQuery(replicasQuery).data?.filter(({ model_name }) => model_name === model) ?? []
  return (
    <>
      <LoadProgress model={model} />
      {own.length > 0 && (
        <section className="stack tight" aria-labelledby="own-replicas">
          <h2 id="own-replicas">{t('runsOn')}</h2>
          <ReplicaTable replicas={own} showsNode />
        </section>
      )}
      <section className="stack tight" aria-labelledby="verdicts">
        <h2 id="verdicts">{t('placement.next')}</h2>
        <QueryView query={placement} lines={4}>
          {(data) => (
            <>
              <Decision placement={data} />
              {data.nodes.length > 0 && <VerdictTable verdicts={data.nodes} chosen={data.node_id} />}
            </>
          )}
        </QueryView>
      </section>
    </>
  )
}

function Decision({
  placement: { decision, node_id, node_name, replica_index, reason },
}: {
  readonly placement: Placement
}) {
  const { t } = useTranslation('nodes')
  switch (decision) {
    case 'chosen':
      return (
        <Notice tone="ok">
          {t('placement.chosen')}{' '}
          <Link to="/app/nodes/node/$id" params={{ id: node_id ?? '' }}>
            {node_name}
          </Link>{' '}
          <span className="muted">({t('replica', { index: replica_index ?? 0 })})</span>
        </Notice>
      )
    case 'wait':
      return <Notice tone="info">{t('placement.wait')}</Notice>
    case 'none':
      return <Notice tone="warn">{t(`placement.reason.${reason ?? 'refused'}`, { defaultValue: reason })}</Notice>
  }
}
