import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes } from '../../lib/format.ts'
import type { Operation } from '../../lib/operations/operation.ts'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import { listButtons } from '../../lib/operations/operation-changes.ts'
import { Button, IconButton } from '../ui/button.tsx'
import { ConfirmDialog } from '../ui/dialog.tsx'

/** Buttons for an operation. @param isCompact shows only icons, beside a button that is the progress */
export function OperationButtons({
  operation,
  isCompact = false,
}: {
  readonly operation: Operation
  readonly isCompact?: boolean
}) {
  const { t } = useTranslation('operations')
  const { mutate, isPending } = useOperationAction()
  const isOffline = useConnection().state === 'offline'
  const [isAsking, setAsking] = useState(false)
  const { jobID, name, currentBytes = 0 } = operation
  const { canCancel, canPause, canRetry, canDismiss } = listButtons(operation)
  const isOff = isPending || isOffline
  const cancel = () => {
    setAsking(false)
    mutate({ do: 'cancel', jobID })
  }
  const askCancel = () => (currentBytes > 0 ? setAsking(true) : cancel())
  const discarded = currentBytes > 0 ? t('cancelDiscards', { bytes: formatBytes(currentBytes) }) : t('cancel')
  const pause = () => mutate({ do: 'pause', jobID })
  return (
    <>
      {canRetry && (
        <Button small disabled={isOff} onClick={() => mutate({ do: 'retry', operation })}>
          {t('retry')}
        </Button>
      )}
      {canDismiss && (
        <Button small kind="ghost" disabled={isOff} onClick={() => mutate({ do: 'dismiss', jobID })}>
          {t('dismiss')}
        </Button>
      )}
      {canPause &&
        (isCompact ? (
          <IconButton icon="pause" label={t('pauseKeeps')} disabled={isOff} onClick={pause} />
        ) : (
          <Button small disabled={isOff} title={t('pauseKeeps')} onClick={pause}>
            {t('pause')}
          </Button>
        ))}
      {canCancel &&
        (isCompact ? (
          <IconButton icon="x" label={discarded} disabled={isOff} onClick={askCancel} />
        ) : (
          <Button small kind="ghost" disabled={isOff} title={discarded} onClick={askCancel}>
            {t('cancel')}
          </Button>
        ))}
      {isAsking && (
        <ConfirmDialog
          title={t('cancelTitle', { name })}
          action={t('cancelAction')}
          onConfirm={cancel}
          onClose={() => setAsking(false)}
        >
          <p>{canPause ? t('cancelAboutPause', { bytes: formatBytes(currentBytes) }) : discarded}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
