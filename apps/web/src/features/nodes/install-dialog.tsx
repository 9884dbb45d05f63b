import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { installBackend } from './api.ts'

/** Installs a backend on a worker: of a gallery by its name, or an image by its address. */
export function InstallDialog({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const { t } = useTranslation('nodes')
  const form = useId()
  const [fields, setFields] = useState({ backend: '', uri: '' })
  const install = useMutation({
    mutationFn: () => installBackend(id, { backend: fields.backend.trim(), uri: fields.uri.trim() }),
    onSuccess() {
      onClose()
      notify('success', t('installStarted', { name: fields.backend.trim() }))
    },
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    if (!install.isPending) install.mutate()
  }
  return (
    <Dialog
      title={t('installTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={install.isPending}>
            {t('install')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={onSubmit}>
        <TextField
          label={t('backendName')}
          hint={t('backendNameHint')}
          required
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={fields.backend}
          onChange={({ target }) => setFields({ ...fields, backend: target.value })}
        />
        <TextField
          label={t('backendUri')}
          hint={t('backendUriHint')}
          autoComplete="off"
          spellCheck={false}
          maxLength={4000}
          value={fields.uri}
          onChange={({ target }) => setFields({ ...fields, uri: target.value })}
        />
        {install.isError && <ErrorBlock error={install.error} />}
      </form>
    </Dialog>
  )
}
