import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../components/ui/dialog.tsx'
import { NewPasswordField, NO_PASSWORD } from '../../components/ui/new-password.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { readPasswordRefusal } from '../../lib/password-refusal.ts'
import type { User } from '../../lib/users.ts'
import { resetPassword, useDeleteUser, useSetStatus } from './api.ts'

interface Props {
  readonly user: User
  readonly onClose: () => void
}

/** Deletes an account after its address was typed. */
export function DeleteDialog({ user, onClose }: Props) {
  const { t } = useTranslation('users')
  const removal = useDeleteUser()
  const onConfirm = () =>
    removal.mutate(user.id, {
      onSuccess: () => {
        onClose()
        notify('success', t('delete.done', { email: user.email }))
      },
    })
  return (
    <ConfirmDialog
      title={t('delete.title', { email: user.email })}
      action={t('delete.action')}
      typed={user.email}
      busy={removal.isPending}
      error={removal.isError && <ErrorBlock error={removal.error} />}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {t('delete.about')}
    </ConfirmDialog>
  )
}

/** Disables an account, or enables it again. */
export function StatusDialog({ user, onClose }: Props) {
  const { t } = useTranslation('users')
  const setStatus = useSetStatus()
  const [isActive] = useState(user.status === 'active')
  const name = isActive ? 'disable' : 'enable'
  const onConfirm = () =>
    setStatus.mutate({ id: user.id, status: isActive ? 'disabled' : 'active' }, { onSuccess: onClose })
  return (
    <ConfirmDialog
      title={t(`statusAction.${name}Title`, { email: user.email })}
      action={t(`statusAction.${name}`)}
      isDangerous={isActive}
      busy={setStatus.isPending}
      error={setStatus.isError && <ErrorBlock error={setStatus.error} />}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {t(`statusAction.${name}About`)}
    </ConfirmDialog>
  )
}

/** Gives a local account a new password. */
export function PasswordDialog({ user, onClose }: Props) {
  const { t } = useTranslation('users')
  const form = useId()
  const [password, setPassword] = useState(NO_PASSWORD)
  const reset = useMutation({
    mutationFn: resetPassword,
    onSuccess: () => {
      onClose()
      notify('success', t('password.done', { email: user.email }))
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    reset.mutate({ id: user.id, ...password })
  }
  return (
    <Dialog
      title={t('password.title', { email: user.email })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={reset.isPending}>
            {t('password.action')}
          </Button>
        </>
      }
    >
      <p>{t('password.about')}</p>
      <form id={form} className="stack" onSubmit={onSubmit}>
        <NewPasswordField label={t('password.new')} value={password} error={reset.error} onChange={setPassword} />
        {reset.isError && readPasswordRefusal(reset.error) === undefined && <ErrorBlock error={reset.error} />}
      </form>
    </Dialog>
  )
}
