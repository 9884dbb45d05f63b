import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { readOperationState } from '../lib/operations/operation.ts'
import { operationsQuery } from '../lib/operations/operation-queries.ts'
import * as navigationStyles from './navigation.module.css'

/** Number of failed operations that wait to be dismissed, at the end of an entry of the navigation. */
export function AttentionCount() {
  const { t } = useTranslation('operations')
  const count = useQuery({
    ...operationsQuery,
    select: (list) => list.filter((operation) => readOperationState(operation) === 'failed').length,
  }).data
  if (count === undefined || count === 0) return null
  return (
    <span className={`${navigationStyles.count} ${navigationStyles.alert}`}>
      <span aria-hidden="true">{count}</span>
      <span className="visuallyHidden">{t('attention', { count })}</span>
    </span>
  )
}
