import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { TextField } from '../../components/ui/field.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { LIFETIME_DAYS, useMakeInvite } from './invites-api.ts'

/** Asks for the validity of a new invite. @param onMade gets the code, which is shown once */
export function NewInviteDialog({
  onMade,
  onClose,
}: {
  readonly onMade: (code: string) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('users')
  const form = useId()
  const [choice, setChoice] = useState('7')
  const [days, setDays] = useState('14')
  const [note, setNote] = useState('')
  const make = useMakeInvite()
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    make.mutate(
      { days: Number(choice === 'own' ? days : choice), note: note.trim() },
      { onSuccess: ({ code }) => onMade(code) },
    )
  }
  return (
    <Dialog
      title={t('invite.make')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={make.isPending}>
            {t('invite.makeAction')}
          </Button>
        </>
      }
    >
      <p>{t('invite.about')}</p>
      <form id={form} className="stack" onSubmit={onSubmit}>
        <div className="stack tight">
          <span className={fieldStyles.label}>{t('invite.lifetime')}</span>
          <div>
            <Segmented
              label={t('invite.lifetime')}
              value={choice}
              options={[
                ...LIFETIME_DAYS.map((count) => [String(count), t('invite.days', { count })] as const),
                ['own', t('invite.ownLifetime')],
              ]}
              onChange={setChoice}
            />
          </div>
        </div>
        {choice === 'own' && (
          <TextField
            label={t('invite.daysLabel')}
            type="number"
            min={1}
            max={365}
            step={1}
            required
            value={days}
            onChange={({ target }) => setDays(target.value)}
          />
        )}
        <TextField
          label={t('invite.note')}
          hint={t('invite.noteHint')}
          maxLength={200}
          autoComplete="off"
          value={note}
          onChange={({ target }) => setNote(target.value)}
        />
        {make.isError && <ErrorBlock error={make.error} />}
      </form>
    </Dialog>
  )
}
