import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { OperationButtons } from '../../components/operations/operation-buttons.tsx'
import { OperationRow } from '../../components/operations/operation-row.tsx'
import type { Operation } from '../../lib/operations/operation.ts'
import { operationsQuery } from '../../lib/operations/operation-queries.ts'

/** Whether an operation runs on workers, or on one of them. */
function runsOnWorker({ taskType, nodeID, nodes = [] }: Operation, id: string | undefined): boolean {
  if (id !== undefined) return nodeID === id || nodes.some(({ node_id }) => node_id === id)
  return taskType === 'staging' || nodeID !== undefined || nodes.length > 0
}

/** Installations on workers, and models whose files are sent there. @param id a worker; undefined for all */
export function WorkerOperations({ id }: { readonly id?: string }) {
  const { t } = useTranslation('nodes')
  const operations = useQuery(operationsQuery).data ?? []
  const shown = operations.filter((operation) => runsOnWorker(operation, id))
  if (shown.length === 0) return null
  return (
    <section className="stack tight" aria-labelledby="worker-operations">
      <h2 id="worker-operations">{t('operations')}</h2>
      <ul className="card">
        {shown.map((operation) => (
          <OperationRow key={operation.jobID} operation={operation}>
            <OperationButtons operation={operation} />
          </OperationRow>
        ))}
      </ul>
    </section>
  )
}
