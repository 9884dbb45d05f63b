import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type KeyArea, type KeyScopes, useMakeKey } from '../../lib/keys.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import * as fieldStyles from '../ui/field.module.css'
import { TextArea, TextField } from '../ui/field.tsx'
import { ErrorBlock } from '../ui/states.tsx'
import { EXPIRY_CHOICES, readNewExpiry } from './expiry.ts'
import { ExpiryFields, type ExpiryValues } from './expiry-fields.tsx'
import { KeyScopeFields } from './key-scopes.tsx'
import { OwnerField } from './owner-field.tsx'
import { isUseless } from './route-groups.ts'

/** A new key. @param area `managed` asks for the owner, too @param onMade gets the value, which is shown once */
export function NewKeyDialog({
  area,
  onMade,
  onClose,
}: {
  readonly area: KeyArea
  readonly onMade: (value: string) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('account')
  const form = useId()
  const [name, setName] = useState('')
  const [expiry, setExpiry] = useState<ExpiryValues>({ choice: 'server', date: '' })
  const [userId, setUserId] = useState('')
  const [note, setNote] = useState('')
  const [scopes, setScopes] = useState<KeyScopes>({})
  const isLimited = Object.keys(scopes).length > 0
  const make = useMakeKey(area)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate(
      {
        name: name.trim(),
        ...readNewExpiry(expiry.choice, expiry.date),
        ...(isLimited && { scopes }),
        ...(note.trim() !== '' && { note: note.trim() }),
        ...(userId !== '' && { userId }),
      },
      { onSuccess: ({ key }) => onMade(key) },
    )
  }
  return (
    <Dialog
      title={t('keys.make')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={make.isPending} disabled={isUseless(scopes)}>
            {t('keys.makeAction')}
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
        {area === 'managed' && <OwnerField value={userId} onChange={setUserId} />}
        <TextArea
          label={t('keys.note')}
          maxLength={1000}
          rows={2}
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
        <ExpiryFields choices={EXPIRY_CHOICES} values={expiry} onChange={setExpiry} />
        <KeyScopeFields scopes={scopes} onChange={setScopes} />
        {isUseless(scopes) && <p className={fieldStyles.hint}>{t('scopes.chooseOne')}</p>}
        {make.isError && <ErrorBlock error={make.error} />}
      </form>
    </Dialog>
  )
}
