import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ApiKey, type KeyArea, type KeyScopes, useEditKey } from '../../lib/keys.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import * as fieldStyles from '../ui/field.module.css'
import { Switch, TextArea, TextField } from '../ui/field.tsx'
import { ErrorBlock } from '../ui/states.tsx'
import { notify } from '../ui/toast.ts'
import { EXPIRY_CHANGES, readExpiry } from './expiry.ts'
import { ExpiryFields, type ExpiryValues } from './expiry-fields.tsx'
import { KeyScopeFields } from './key-scopes.tsx'
import { isUseless } from './route-groups.ts'

/** Name, note, limits, end and block of a key. Its owner cannot lift the block of an admin. */
export function EditKeyDialog({
  area,
  edited,
  onClose,
}: {
  readonly area: KeyArea
  readonly edited: ApiKey
  readonly onClose: () => void
}) {
  const { t } = useTranslation('account')
  const form = useId()
  const [name, setName] = useState(edited.name)
  const [note, setNote] = useState(edited.note ?? '')
  const wasBlocked = edited.blocked === true
  const [isBlocked, setBlocked] = useState(wasBlocked)
  const [scopes, setScopes] = useState<KeyScopes>(edited.scopes ?? {})
  const [expiry, setExpiry] = useState<ExpiryValues>({ choice: 'keep', date: '' })
  const isBarred = area === 'own' && edited.blockedBy === 'admin'
  const edit = useEditKey(area)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    edit.mutate(
      {
        id: edited.id,
        name: name.trim(),
        note: note.trim() === '' ? null : note.trim(),
        ...(isBlocked === wasBlocked ? {} : { blocked: isBlocked }),
        // an untouched list stays as the server has it now
        ...(scopes === edited.scopes || isEmpty(scopes, edited) ? {} : { scopes: hasLimits(scopes) ? scopes : null }),
        ...readExpiry(expiry.choice, expiry.date),
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
          <Button type="submit" form={form} kind="primary" busy={edit.isPending} disabled={isUseless(scopes)}>
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
        <ExpiryFields choices={EXPIRY_CHANGES} values={expiry} onChange={setExpiry} />
        <KeyScopeFields scopes={scopes} onChange={setScopes} />
        {isUseless(scopes) && <p className={fieldStyles.hint}>{t('scopes.chooseOne')}</p>}
        <Switch
          label={t('keys.block')}
          checked={isBlocked}
          disabled={isBarred}
          onChange={({ target }) => setBlocked(target.checked)}
        />
        {isBarred && <p className="muted">{t('keys.blockedByAdmin')}</p>}
        {edit.isError && <ErrorBlock error={edit.error} />}
      </form>
    </Dialog>
  )
}

const hasLimits = (scopes: KeyScopes): boolean => Object.keys(scopes).length > 0
/** Whether a key without limits still has none. */
const isEmpty = (scopes: KeyScopes, edited: ApiKey): boolean => edited.scopes === undefined && !hasLimits(scopes)
