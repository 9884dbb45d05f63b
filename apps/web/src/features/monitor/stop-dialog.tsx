import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { stopModel } from '../../lib/server-state.ts'

/** Asks before a model is taken out of memory. */
export function StopDialog({ model, onClose }: { readonly model: string; readonly onClose: () => void }) {
  const { t } = useTranslation('monitor')
  const stop = useMutation({
    mutationFn: () => stopModel(model),
    onSuccess: () => {
      notify('success', t('stop.done', { model }))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t('stop.title', { model })}
      action={t('stop.action')}
      busy={stop.isPending}
      error={stop.isError && <ErrorBlock error={stop.error} />}
      onConfirm={() => stop.mutate()}
      onClose={onClose}
    >
      <p>{t('stop.about')}</p>
    </ConfirmDialog>
  )
}
