import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import type { Worker } from '../../lib/workers.ts'
import { changeWorker, type WorkerAction } from './api.ts'

/** The actions that the state of a worker allows, in order. */
export function listActions({ status }: Pick<Worker, 'status'>): readonly WorkerAction[] {
  if (status === 'pending') return ['approve', 'remove']
  return [status === 'draining' ? 'resume' : 'drain', 'remove']
}

/** Asks before a worker is taken, drained, resumed or removed. @param onDone called after the server has agreed */
export function WorkerDialog({
  worker: { id, name },
  action,
  onDone,
  onClose,
}: {
  readonly worker: Pick<Worker, 'id' | 'name'>
  readonly action: WorkerAction
  readonly onDone?: (() => void) | undefined
  readonly onClose: () => void
}) {
  const { t } = useTranslation('nodes')
  const change = useMutation({
    mutationFn: () => changeWorker(id, action),
    onSuccess() {
      onClose()
      notify('success', t(`done.${action}`, { name }))
      onDone?.()
    },
  })
  return (
    <ConfirmDialog
      title={t(`ask.${action}`, { name })}
      action={t(`action.${action}`)}
      isDangerous={action === 'remove'}
      busy={change.isPending}
      error={change.isError && <ErrorBlock error={change.error} />}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <p>{t(`about.${action}`)}</p>
    </ConfirmDialog>
  )
}
