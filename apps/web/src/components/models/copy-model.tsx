import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, unwrap } from '../../lib/api-client.ts'
import { useConnection } from '../../lib/connection.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { TextField } from '../ui/field.tsx'
import { ErrorBlock } from '../ui/states.tsx'

/** Copies a model that comes with the server, and opens the file of the copy. */
export function CopyModelButton({ name }: { readonly name: string }) {
  const { t } = useTranslation('models')
  const isOffline = useConnection().state === 'offline'
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Button disabled={isOffline} onClick={() => setAsking(true)}>
        {t('copyModel.open')}
      </Button>
      {isAsking && <CopyDialog name={name} onClose={() => setAsking(false)} />}
    </>
  )
}

function CopyDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { t } = useTranslation('models')
  const form = useId()
  const navigate = useNavigate()
  const [copy, setCopy] = useState(`my-${name}`)
  const copying = useMutation({
    mutationFn: (newName: string) =>
      unwrap(api.POST('/api/models/copy/{name}', { params: { path: { name } }, body: { name: newName } })),
    async onSuccess(_, newName) {
      await navigate({ to: '/app/models/$name', params: { name: newName } })
      onClose()
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    copying.mutate(copy.trim())
  }
  return (
    <Dialog
      title={t('copyModel.title', { name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={copying.isPending} disabled={copy.trim() === ''}>
            {t('copyModel.action')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <p>{t('copyModel.about')}</p>
        <TextField
          label={t('copyModel.name')}
          required
          maxLength={200}
          autoComplete="off"
          value={copy}
          onChange={({ target }) => setCopy(target.value)}
        />
      </form>
      {copying.isError && <ErrorBlock error={copying.error} />}
    </Dialog>
  )
}
