import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import type { Operation } from '../../lib/operations/operation.ts'
import { operationHistoryQuery } from '../../lib/operations/operation-queries.ts'
import * as styles from './activity.module.css'
import { clearHistory } from './api.ts'
import { RecordTable } from './record-table.tsx'

/** The operations that have ended. @param operations the operations that wait or run now */
export function OperationHistory({ operations }: { readonly operations: readonly Operation[] }) {
  const { t } = useTranslation('activity')
  const client = useQueryClient()
  const isOffline = useConnection().state === 'offline'
  const [isAsking, setAsking] = useState(false)
  const history = useQuery(operationHistoryQuery)
  const clear = useMutation({
    mutationFn: clearHistory,
    onSuccess() {
      client.setQueryData(operationHistoryQuery.queryKey, [])
      setAsking(false)
    },
  })
  const isEmpty = history.data?.length === 0
  return (
    <section aria-labelledby="record">
      <header className={styles.sectionHead}>
        <h2 id="record">{t('record')}</h2>
        <span className="meta">{t('recordLimit')}</span>
        <span className="push" />
        {!isEmpty && (
          <Button small kind="ghost" disabled={isOffline} onClick={() => setAsking(true)}>
            {t('clear')}
          </Button>
        )}
      </header>
      <QueryView query={history} lines={4}>
        {(records) =>
          records.length === 0 ? (
            <p className="muted">{t('recordEmpty')}</p>
          ) : (
            <RecordTable records={records} operations={operations} />
          )
        }
      </QueryView>
      {isAsking && (
        <ConfirmDialog
          title={t('clearTitle')}
          action={t('clear')}
          busy={clear.isPending}
          error={clear.isError && <ErrorBlock error={clear.error} />}
          onConfirm={() => clear.mutate()}
          onClose={() => setAsking(false)}
        >
          <p>{t('clearAbout')}</p>
        </ConfirmDialog>
      )}
    </section>
  )
}
