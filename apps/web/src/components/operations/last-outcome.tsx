import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { useCapabilities } from '../../lib/capabilities.ts'
import { isAbout, readOperationState, readOutcome } from '../../lib/operations/operation.ts'
import { operationHistoryQuery, operationsQuery } from '../../lib/operations/operation-queries.ts'
import { Notice } from '../ui/notice.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { OperationButtons } from './operation-buttons.tsx'

/** Outcome of the last operation on a model or backend, where it was started. A failed one stays with its cause. */
export function LastOutcome({ kind, name }: { readonly kind: 'model' | 'backend'; readonly name: string }) {
  const { t } = useTranslation('operations')
  const { operations: isServed } = useCapabilities()
  const operations = useQuery({ ...operationsQuery, enabled: isServed }).data
  const history = useQuery({ ...operationHistoryQuery, enabled: isServed }).data
  const target = { kind, name }
  const failed = operations?.find((one) => readOperationState(one) === 'failed' && isAbout(one, target))
  if (failed !== undefined)
    return (
      <Notice tone="bad" actions={<OperationButtons operation={failed} />}>
        <b>{t('last.failed')}</b> {failed.error}
      </Notice>
    )
  const last = history?.find((record) => isAbout(record, target))
  if (last === undefined) return null
  const { taskType, finishedAt, error = '' } = last
  const word = readOutcome(last)
  return (
    <p className="meta">
      {t(taskType === 'deletion' ? `last.removal.${word}` : `last.install.${word}`)} <RelativeTime time={finishedAt} />
      {error !== '' && ` · ${error}`}
    </p>
  )
}
