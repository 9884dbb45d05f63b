import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { SelectField, TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { type KeyScopes, useMakeKey } from './api.ts'
import { EXPIRY_CHOICES, type ExpiryChoice, readExpiry } from './expiry.ts'
import { KeyScopeFields } from './key-scopes.tsx'
import { isUseless } from './route-groups.ts'

/** Name and end of a new key. @param onMade gets the value, which is shown once */
export function NewKeyDialog({
  onMade,
  onClose,
}: {
  readonly onMade: (value: string) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('account')
  const form = useId()
  const [name, setName] = useState('')
  const [choice, setChoice] = useState<ExpiryChoice>('server')
  const [date, setDate] = useState('')
  const [scopes, setScopes] = useState<KeyScopes>({})
  const isLimited = scopes.routes !== undefined || scopes.models !== undefined
  const make = useMakeKey()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate(
      { name: name.trim(), ...readExpiry(choice, date), ...(isLimited && { scopes }) },
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
        <SelectField
          label={t('keys.expires')}
          options={EXPIRY_CHOICES.map((value) => [value, t(`keys.expiry.${value}`)])}
          value={choice}
          onChange={({ target }) => {
            const next = EXPIRY_CHOICES.find((value) => value === target.value)
            if (next !== undefined) setChoice(next)
          }}
        />
        {choice === 'date' && (
          <TextField
            label={t('keys.lastDay')}
            type="date"
            required
            min={new Date().toISOString().slice(0, 10)}
            value={date}
            onChange={({ target }) => setDate(target.value)}
          />
        )}
        <KeyScopeFields scopes={scopes} onChange={setScopes} />
        {isUseless(scopes) && <p className={fieldStyles.hint}>{t('scopes.chooseOne')}</p>}
        {make.isError && <ErrorBlock error={make.error} />}
      </form>
    </Dialog>
  )
}
