import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Switch, TextArea, TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { type ApiKey, useEditKey } from './api.ts'

/** Name, note and block of a key. A block of an admin stays. */
export function EditKeyDialog({ edited, onClose }: { readonly edited: ApiKey; readonly onClose: () => void }) {
  const { t } = useTranslation('account')
  const form = useId()
  const [name, setName] = useState(edited.name)
  const [note, setNote] = useState(edited.note ?? '')
  const wasBlocked = edited.blocked === true
  const [isBlocked, setBlocked] = useState(wasBlocked)
  const edit = useEditKey()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    edit.mutate(
      {
        id: edited.id,
        name: name.trim(),
        note: note.trim() === '' ? null : note.trim(),
        ...(isBlocked === wasBlocked ? {} : { blocked: isBlocked }),
      },
      {
        onSuccess() {
          onClose()
          notify('success', t('keys.saved'))
        },
      },
    )
  }
  return (
    <Dialog
      title={t('keys.editNamed', { name: edited.name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={edit.isPending}>
            {t('save')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={onSubmit}>
        <TextField
          label={t('keys.name')}
          hint={t('keys.nameHint')}
          required
          maxLength={200}
          autoComplete="off"
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <TextArea
          label={t('keys.note')}
          maxLength={1000}
          rows={3}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
        <Switch
          label={t('keys.block')}
          checked={isBlocked}
          disabled={edited.blockedBy === 'admin'}
          onChange={({ target }) => setBlocked(target.checked)}
        />
        {edited.blockedBy === 'admin' && <p className="muted">{t('keys.blockedByAdmin')}</p>}
        {edit.isError && <ErrorBlock error={edit.error} />}
      </form>
    </Dialog>
  )
}
