import { useTranslation } from 'react-i18next'
import { useOperationAction } from '../../lib/operations/operation-actions.ts'
import { ConfirmDialog } from '../ui/dialog.tsx'

/** Asks before a model or a backend is removed. */
export function RemoveDialog({
  kind,
  name,
  onClose,
}: {
  readonly kind: 'model' | 'backend'
  readonly name: string
  readonly onClose: () => void
}) {
  const { t } = useTranslation('operations')
  const { mutate, isPending } = useOperationAction()
  const remove = () => mutate({ do: 'remove', kind, id: name }, { onSettled: onClose })
  return (
    <ConfirmDialog
      title={t('remove.title', { name })}
      action={t('remove.action')}
      busy={isPending}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>{t(`remove.${kind}`)}</p>
    </ConfirmDialog>
  )
}
