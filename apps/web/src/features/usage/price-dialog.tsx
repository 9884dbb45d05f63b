import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { TextField } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import type { Price } from './api.ts'
import { PRICE_FIELDS, PRICE_PARTS, type PriceValues, readPrice } from './price-list.ts'
import * as styles from './usage.module.css'

/** The form of a price. */
export function PriceDialog({
  price,
  error,
  busy,
  onSave,
  onClose,
}: {
  /** The price to change; undefined for a new one. */
  readonly price: Price | undefined
  readonly error: Error | null
  readonly busy: boolean
  readonly onSave: (price: Price) => void
  readonly onClose: () => void
}) {
  const { t } = useTranslation('usage')
  const form = useId()
  const [values, setValues] = useState<PriceValues>(() =>
    Object.fromEntries(PRICE_FIELDS.map((field) => [field, String(price?.[field] ?? '')])),
  )
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    onSave(readPrice(values))
  }
  const bind = (field: (typeof PRICE_FIELDS)[number]) => ({
    value: values[field] ?? '',
    autoComplete: 'off',
    onChange: ({ target }: { readonly target: { readonly value: string } }) =>
      setValues({ ...values, [field]: target.value }),
  })
  return (
    <Dialog
      title={t(price === undefined ? 'prices.add' : 'prices.editTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('prices.cancel')}</Button>
          <Button type="submit" form={form} kind="primary" busy={busy}>
            {t('prices.save')}
          </Button>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={onSubmit}>
        <TextField label={t('prices.model')} hint={t('prices.modelHint')} {...bind('model')} />
        <TextField label={t('prices.upstream')} {...bind('upstream')} />
        <TextField label={t('prices.from')} hint={t('prices.fromHint')} {...bind('from')} />
        <TextField label={t('prices.currency')} {...bind('currency')} />
        <div className={styles.parts}>
          {PRICE_PARTS.map((part) => (
            <TextField key={part} label={t(`prices.part.${part}`)} inputMode="decimal" {...bind(part)} />
          ))}
        </div>
        {error !== null && <ErrorBlock error={error} />}
      </form>
    </Dialog>
  )
}
