import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import type { IconName } from '../../components/ui/icon.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import type { Worker } from '../../lib/workers.ts'
import type { WorkerAction } from './api.ts'
import * as styles from './nodes.module.css'
import { ResourceBars } from './resource-bars.tsx'
import { listActions } from './worker-dialogs.tsx'
import { listOwnLabels, writeLabel } from './worker-figures.ts'
import { WorkerState } from './worker-state.tsx'

const ICONS: Readonly<Record<WorkerAction, IconName>> = {
  approve: 'check',
  drain: 'pause',
  resume: 'playground',
  remove: 'trash',
}

/** The workers with their states and resources. */
export function WorkerTable({
  workers,
  onAct,
}: {
  readonly workers: readonly Worker[]
  readonly onAct: (worker: Worker, action: WorkerAction) => void
}) {
  const { t } = useTranslation('nodes')
  return (
    <table className={`table stacked ${styles.workers}`}>
      <thead>
        <tr>
          <th scope="col">{t('column.node')}</th>
          <th scope="col">{t('column.state')}</th>
          <th scope="col">{t('column.resources')}</th>
          <th scope="col" className={`number ${styles.extra}`}>
            {t('column.models')}
          </th>
          <th scope="col" className={`number ${styles.extra}`}>
            {t('column.requests')}
          </th>
          <th scope="col">{t('column.heartbeat')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {workers.map((worker) => (
          <Row key={worker.id} worker={worker} onAct={onAct} />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  worker,
  onAct,
}: {
  readonly worker: Worker
  readonly onAct: (worker: Worker, action: WorkerAction) => void
}) {
  const { t } = useTranslation('nodes')
  const isOffline = useConnection().state === 'offline'
  const { id, name, node_type, status, capability, model_count, in_flight_count, last_heartbeat } = worker
  const about = [node_type === 'agent' ? t('agentWorker') : worker.address, ...(capability ? [capability] : [])]
  return (
    <tr>
      <td className={`mainCell ${styles.worker}`}>
        <Link className="mainLink medium" to="/app/nodes/node/$id" params={{ id }}>
          {name}
        </Link>
        <span className="meta">{about.join(' · ')}</span>
        <WorkerLabels worker={worker} />
      </td>
      <td className="freeCell endCell">
        <WorkerState state={status} />
      </td>
      <td className={`freeCell minorCell ${styles.resources}`}>
        <ResourceBars worker={worker} />
      </td>
      <td className={`number freeCell minorCell ${styles.extra}`}>
        <span className={styles.name}>{t('column.models')}</span> {formatNumber(model_count ?? 0)}
      </td>
      <td className={`number freeCell minorCell ${styles.extra}`}>
        <span className={styles.name}>{t('column.requests')}</span> {formatNumber(in_flight_count ?? 0)}
      </td>
      <td className={`freeCell minorCell ${styles.time}`}>
        <span className={styles.name}>{t('column.heartbeat')}</span>{' '}
        {last_heartbeat === null ? t('never') : <RelativeTime time={last_heartbeat} />}
      </td>
      <td className="freeCell endCell number">
        <RowMenu
          label={t('actionsNamed', { name })}
          entries={listActions(worker).map((action) => ({
            id: action,
            text: t(`action.${action}`),
            icon: ICONS[action],
            isDangerous: action === 'remove',
            isDisabled: isOffline,
            separator: action === 'remove',
            onSelect: () => onAct(worker, action),
          }))}
        />
      </td>
    </tr>
  )
}

/** Labels that a row shows; the page of the worker has all. */
const MAX_LABELS = 4

function WorkerLabels({ worker }: { readonly worker: Worker }) {
  const { t } = useTranslation('nodes')
  const labels = listOwnLabels(worker)
  if (labels.length === 0) return null
  const more = labels.length - MAX_LABELS
  return (
    <ul className={styles.labels} aria-label={t('labels')}>
      {labels.slice(0, MAX_LABELS).map((label) => (
        <li key={label[0]}>
          <Badge>{writeLabel(label)}</Badge>
        </li>
      ))}
      {more > 0 && <li className="meta">{t('moreLabels', { count: more })}</li>}
    </ul>
  )
}
