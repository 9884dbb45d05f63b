import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { SearchField, SelectFilter } from '../../components/ui/field.tsx'
import { Filters } from '../../components/ui/filters.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { Pager } from '../../components/ui/pager.tsx'
import { EmptyState, NoMatch, QueryView } from '../../components/ui/states.tsx'
import { type Worker, workersQuery } from '../../lib/workers.ts'
import type { WorkerAction } from './api.ts'
import * as styles from './nodes.module.css'
import { NodesFrame } from './nodes-frame.tsx'
import { type NodesSearch, readNodesSearch, WORKER_STATES } from './search.ts'
import { WorkerDialog } from './worker-dialogs.tsx'
import { selectWorkers } from './worker-figures.ts'
import { WorkerOperations } from './worker-operations.tsx'
import { WorkerTable } from './worker-table.tsx'

const PAGE_SIZE = 50
/** What starts a worker. */
const COMMAND = 'svc worker'
const route = getRouteApi('/app/nodes')

/** The workers of the cluster: those that wait first. */
export function NodesPage() {
  const { t } = useTranslation('nodes')
  const workers = useQuery(workersQuery)
  return (
    <NodesFrame title={t('common:nav.nodes')}>
      <WorkerOperations />
      <QueryView query={workers} lines={5} height={72}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState icon="nodes" title={t('none')}>
              {t('noneAbout')} <code>{COMMAND}</code>
            </EmptyState>
          ) : (
            <Workers workers={list} />
          )
        }
      </QueryView>
    </NodesFrame>
  )
}

function Workers({ workers }: { readonly workers: readonly Worker[] }) {
  const { t } = useTranslation('nodes')
  const search: NodesSearch = route.useSearch()
  const navigate = route.useNavigate()
  const [asked, setAsked] = useState<{ readonly worker: Worker; readonly action: WorkerAction }>()
  const change = (next: Record<string, unknown>) =>
    void navigate({ search: readNodesSearch({ ...search, page: undefined, ...next }), replace: true })
  const shown = selectWorkers(workers, search)
  const page = Math.min(search.page ?? 1, Math.max(1, Math.ceil(shown.length / PAGE_SIZE)))
  const waiting = workers.filter(({ status }) => status === 'pending').length
  return (
    <>
      {waiting > 0 && <Notice tone="warn">{t('waiting', { count: waiting })}</Notice>}
      <div className={`row wrap ${styles.bar}`}>
        <SearchField label={t('searchNodes')} value={search.q ?? ''} onChange={(q) => change({ q })} />
        <Filters values={[search.state]}>
          <SelectFilter
            label={t('column.state')}
            value={search.state ?? ''}
            options={[['', t('anyState')], ...WORKER_STATES.map((state) => [state, t(`state.${state}`)] as const)]}
            onChange={({ target }) => change({ state: target.value })}
          />
        </Filters>
        <span className="meta push">{t('count', { count: shown.length })}</span>
      </div>
      {shown.length === 0 ? (
        <NoMatch onClear={() => void navigate({ search: {}, replace: true })} />
      ) : (
        <WorkerTable
          workers={shown.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE)}
          onAct={(worker, action) => setAsked({ worker, action })}
        />
      )}
      <Pager page={page} size={PAGE_SIZE} total={shown.length} onChange={(next) => change({ page: next })} />
      {asked && <WorkerDialog {...asked} onClose={() => setAsked(undefined)} />}
    </>
  )
}
