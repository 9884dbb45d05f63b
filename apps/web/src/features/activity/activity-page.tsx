import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { OperationButtons } from '../../components/operations/operation-buttons.tsx'
import { OperationRow } from '../../components/operations/operation-row.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { formatBytes } from '../../lib/format.ts'
import { type Operation, readOperationState } from '../../lib/operations/operation.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'
import * as styles from './activity.module.css'
import { OperationHistory } from './operation-history.tsx'

/** Work of the server in the background: in progress, needs attention, and the record. */
export function ActivityPage() {
  const { t } = useTranslation('activity')
  const operations = useQuery(operationsQuery)
  return (
    <>
      <PageHead title={t('common:nav.activity')} />
      <div className={`page ${styles.page}`}>
        <QueryView query={operations} lines={2} height={76}>
          {(list) => <Sections operations={list} />}
        </QueryView>
        <OperationHistory operations={operations.data ?? []} />
      </div>
    </>
  )
}

function Sections({ operations }: { readonly operations: readonly Operation[] }) {
  const { t } = useTranslation('activity')
  const active = operations.filter((operation) => readOperationState(operation) !== 'failed')
  const failed = operations.filter((operation) => readOperationState(operation) === 'failed')
  const rate = active.reduce((sum, { bytesPerSecond = 0 }) => sum + bytesPerSecond, 0)
  return (
    <>
      <section aria-labelledby="in-progress">
        <header className={styles.sectionHead}>
          <h2 id="in-progress">{t('inProgress')}</h2>
          {active.length > 0 && <span className="meta">{active.length}</span>}
          {rate > 0 && <span className="meta push">{t('rateInAll', { bytes: formatBytes(rate) })}</span>}
        </header>
        {active.length === 0 ? <p className="muted">{t('nothingRuns')}</p> : <OperationList operations={active} />}
      </section>
      {failed.length > 0 && (
        <section aria-labelledby="needs-attention">
          <header className={styles.sectionHead}>
            <h2 id="needs-attention">{t('needsAttention')}</h2>
            <Badge tone="bad">{failed.length}</Badge>
          </header>
          <OperationList operations={failed} />
        </section>
      )}
    </>
  )
}

function OperationList({ operations }: { readonly operations: readonly Operation[] }) {
  return (
    <ul className="card">
      {operations.map((operation) => (
        <OperationRow key={operation.jobID} operation={operation}>
          <OperationButtons operation={operation} />
        </OperationRow>
      ))}
    </ul>
  )
}
