import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import type { Replica } from '../../lib/workers.ts'
import { ScrolledTable } from '../ui/scrolled-table.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { ReplicaState } from './replica-state.tsx'
import * as styles from './workers.module.css'

/**
 * Models on workers.
 *
 * @param showsNode whether a column names the worker
 * @param actions the buttons of a row
 */
export function ReplicaTable({
  replicas,
  showsNode = false,
  actions,
}: {
  readonly replicas: readonly Replica[]
  readonly showsNode?: boolean
  readonly actions?: (replica: Replica) => ReactNode
}) {
  const { t } = useTranslation('nodes')
  return (
    <div className={`card ${styles.cut}`}>
      <ScrolledTable label={t('models')} className={`table stacked ${styles.replicas}`}>
        <thead>
          <tr>
            <th scope="col">{t('column.model')}</th>
            {showsNode && <th scope="col">{t('column.node')}</th>}
            <th scope="col">{t('column.state')}</th>
            <th scope="col" className="number">
              {t('column.requests')}
            </th>
            <th scope="col" className="number">
              {t('column.vram')}
            </th>
            <th scope="col">{t('column.used')}</th>
            {actions !== undefined && (
              <th scope="col">
                <span className="visuallyHidden">{t('column.actions')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {replicas.map((replica) => (
            <Row key={replica.id} replica={replica} showsNode={showsNode}>
              {actions?.(replica)}
            </Row>
          ))}
        </tbody>
      </ScrolledTable>
    </div>
  )
}

function Row({
  replica,
  showsNode,
  children,
}: {
  readonly replica: Replica
  readonly showsNode: boolean
  readonly children: ReactNode
}) {
  const { t } = useTranslation('nodes')
  const { model_name, replica_index, node_id, node_name = node_id, state, in_flight, size_vram, last_used } = replica
  const { backend_type, cleanup_error } = replica
  const facts = [t('replica', { index: replica_index }), ...(backend_type === undefined ? [] : [backend_type])]
  return (
    <tr>
      <td className={`mainCell ${styles.model}`}>
        <span className={`clip medium ${styles.line}`}>{model_name}</span>
        <span className={`clip meta ${styles.line}`}>{facts.join(' · ')}</span>
        {cleanup_error !== undefined && (
          <span className={`meta ${styles.fault}`}>{t('cleanupFailed', { error: cleanup_error })}</span>
        )}
      </td>
      {showsNode && (
        <td className="freeCell minorCell">
          <Link to="/app/nodes/node/$id" params={{ id: node_id }}>
            {node_name}
          </Link>
        </td>
      )}
      <td className="freeCell endCell">
        <ReplicaState state={state} />
      </td>
      <td className="number freeCell minorCell">
        <span className={styles.name}>{t('column.requests')}</span> {formatNumber(in_flight)}
      </td>
      <td className="number freeCell minorCell">
        <span className={styles.name}>{t('column.vram')}</span>{' '}
        {size_vram === undefined ? t('unknown') : formatBytes(size_vram)}
      </td>
      <td className={`freeCell minorCell ${styles.time}`}>
        <span className={styles.name}>{t('column.used')}</span> <RelativeTime time={last_used} />
      </td>
      {children !== undefined && <td className={`freeCell minorCell ${styles.actions}`}>{children}</td>}
    </tr>
  )
}
