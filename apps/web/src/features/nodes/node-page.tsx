import { useQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import type { Worker } from '../../lib/workers.ts'
import { type WorkerAction, workerQuery } from './api.ts'
import { BackendsCard } from './backends-card.tsx'
import { LabelsCard } from './labels-card.tsx'
import { LimitsCard } from './limits-card.tsx'
import { LogCard } from './log-card.tsx'
import { ModelsCard } from './models-card.tsx'
import * as styles from './nodes.module.css'
import { ResourceBars } from './resource-bars.tsx'
import type { NodeSearch } from './search.ts'
import { listActions, WorkerDialog } from './worker-dialogs.tsx'
import { WorkerOperations } from './worker-operations.tsx'
import { WorkerState } from './worker-state.tsx'

const route = getRouteApi('/app/nodes/node/$id')

/** A worker: its state, its limits, and what is on it. */
export function NodePage() {
  const { t } = useTranslation('nodes')
  const { id } = route.useParams()
  const navigate = useNavigate()
  const worker = useQuery(workerQuery(id))
  const toList = () => void navigate({ to: '/app/nodes', search: {} })
  const isGone = worker.error instanceof ApiError && worker.error.status === 404
  return (
    <>
      <PageHead title={worker.data?.name ?? t('node')}>
        {worker.data && !isGone && <Head worker={worker.data} onRemoved={toList} />}
      </PageHead>
      <div className="page stack">
        {isGone ? (
          <EmptyState icon="nodes" title={t('noSuchNode')} action={<Button onClick={toList}>{t('toNodes')}</Button>}>
            {id}
          </EmptyState>
        ) : (
          <QueryView query={worker} lines={8}>
            {(data) => <Sections key={id} worker={data} />}
          </QueryView>
        )}
      </div>
    </>
  )
}

function Head({ worker, onRemoved }: { readonly worker: Worker; readonly onRemoved: () => void }) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const [asked, setAsked] = useState<WorkerAction>()
  return (
    <>
      <WorkerState state={worker.status} />
      <div className="row wrap push">
        {listActions(worker).map((action) => (
          <Button
            key={action}
            kind={action === 'approve' ? 'primary' : 'plain'}
            disabled={isOffline}
            onClick={() => setAsked(action)}
          >
            {t(`action.${action}`)}
          </Button>
        ))}
      </div>
      {asked !== undefined && (
        <WorkerDialog
          worker={worker}
          action={asked}
          onDone={asked === 'remove' ? onRemoved : undefined}
          onClose={() => setAsked(undefined)}
        />
      )}
    </>
  )
}

function Sections({ worker }: { readonly worker: Worker }) {
  const { log }: NodeSearch = route.useSearch()
  const isBackend = worker.node_type === 'backend'
  return (
    <>
      <WorkerOperations id={worker.id} />
      <div className={styles.cards}>
        <FactsCard worker={worker} />
        <LabelsCard worker={worker} />
        {isBackend && <LimitsCard worker={worker} />}
      </div>
      {isBackend && (
        <>
          <ModelsCard id={worker.id} />
          {log !== undefined && <LogCard key={log} id={worker.id} model={log} />}
          <BackendsCard id={worker.id} />
        </>
      )}
    </>
  )
}

function FactsCard({ worker }: { readonly worker: Worker }) {
  const { t } = useTranslation('nodes')
  const { address, http_address, capability, gpu_vendor, gpu_compute_capability, last_heartbeat } = worker
  const gpu = [gpu_vendor, gpu_compute_capability].filter((text) => text !== '').join(' ')
  const rows: readonly (readonly [string, ReactNode])[] = [
    ['kind', t(`kind.${worker.node_type}`)],
    ['address', address],
    ['files', http_address],
    ['capability', capability],
    ['gpu', gpu],
    ['heartbeat', last_heartbeat === null ? t('never') : <RelativeTime key="time" time={last_heartbeat} />],
    ['registered', <RelativeTime key="time" time={worker.created_at} />],
    ['requests', formatNumber(worker.in_flight_count ?? 0)],
  ]
  return (
    <section className="card" aria-labelledby="worker-facts">
      <header>
        <h2 id="worker-facts">{t('facts')}</h2>
      </header>
      <div className="cardBody stack">
        <ResourceBars worker={worker} />
        <dl className="facts">
          {rows.map(([name, value]) =>
            value === undefined || value === '' ? null : (
              <div key={name} className="factRow">
                <dt>{t(`fact.${name}`)}</dt>
                <dd>{value}</dd>
              </div>
            ),
          )}
        </dl>
      </div>
    </section>
  )
}
