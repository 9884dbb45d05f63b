import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { installExternal } from './api.ts'

/** Installs a backend from an image that no gallery has. */
export function ExternalDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('backends')
  const form = useId()
  const [fields, setFields] = useState({ uri: '', name: '', alias: '' })
  const install = useMutation({
    mutationFn: installExternal,
    onSuccess: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    install.mutate({ uri: fields.uri.trim(), name: fields.name.trim(), alias: fields.alias.trim() })
  }
  return (
    <Dialog
      title={t('external.title')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={install.isPending} disabled={fields.uri.trim() === ''}>
            {t('install')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        {(['uri', 'name', 'alias'] as const).map((field) => (
          <TextField
            key={field}
            label={t(`external.${field}`)}
            hint={t(`external.${field}About`)}
            required={field === 'uri'}
            autoComplete="off"
            value={fields[field]}
            onChange={({ target }) => setFields({ ...fields, [field]: target.value })}
          />
        ))}
      </form>
      {install.isError && <ErrorBlock error={install.error} />}
    </Dialog>
  )
}
