import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { type ApiKey, type KeyArea, useRotateKey } from '../../lib/keys.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { SelectField } from '../ui/field.tsx'
import { ErrorBlock } from '../ui/states.tsx'

/** How long the value before stays valid. */
const GRACES = ['0', '1h', '24h', '7d', '30d'] as const

/** Gives a key a new value. @param onRotated gets the value, which is shown once */
export function RotateKeyDialog({
  area,
  rotated,
  onRotated,
  onClose,
}: {
  readonly area: KeyArea
  readonly rotated: ApiKey
  readonly onRotated: (value: string) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('account')
  const form = useId()
  const [grace, setGrace] = useState('24h')
  const rotate = useRotateKey(area)
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    rotate.mutate({ id: rotated.id, grace }, { onSuccess: ({ key }) => onRotated(key) })
  }
  return (
    <Dialog
      title={t('keys.rotateNamed', { name: rotated.name })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={rotate.isPending}>
            {t('keys.rotate')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={onSubmit}>
        <SelectField
          label={t('keys.grace')}
          options={GRACES.map((value) => [value, t(`keys.graces.${value}`)])}
          value={grace}
          onChange={({ target }) => setGrace(target.value)}
        />
        {rotate.isError && <ErrorBlock error={rotate.error} />}
      </form>
    </Dialog>
  )
}
