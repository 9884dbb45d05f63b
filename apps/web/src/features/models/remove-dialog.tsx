import { useTranslation } from 'react-i18next'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'

/** Asks before a model is removed. */
export function RemoveDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { t } = useTranslation('models')
  const { mutate, isPending } = useOperationAction()
  const remove = () => mutate({ do: 'remove', kind: 'model', id: name }, { onSettled: onClose })
  return (
    <ConfirmDialog
      title={t('removeTitle', { name })}
      action={t('remove')}
      busy={isPending}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t('removeAbout')}</p>
    </ConfirmDialog>
  )
}
