import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { endSession, useSession } from '../../lib/session.ts'
import { ConfirmDialog } from './dialog.tsx'
import { Checkbox } from './field.tsx'
import { ErrorBlock } from './states.tsx'

/** Asks before the viewer signs out, and whether the chats that this browser keeps go too. */
export function SignOutDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { viewer } = useSession()
  const [isForgetting, setForgetting] = useState(false)
  const leaving = useMutation({
    async mutationFn() {
      await endSession(() => navigate({ to: '/login' as '/app' }))
      if (isForgetting) await (await import('../../lib/chat/database.ts')).deleteChatDatabase(viewer)
      // a new document drops everything that pages keep in memory
      location.reload()
    },
  })
  return (
    <ConfirmDialog
      title={t('leaving.title')}
      action={t('signOut')}
      isDangerous={false}
      busy={leaving.isPending}
      error={leaving.isError && <ErrorBlock error={leaving.error} />}
      onConfirm={() => leaving.mutate()}
      onClose={onClose}
    >
      <p>{t('leaving.about')}</p>
      <Checkbox
        label={t('leaving.forget')}
        checked={isForgetting}
        onChange={({ target }) => setForgetting(target.checked)}
      />
    </ConfirmDialog>
  )
}
