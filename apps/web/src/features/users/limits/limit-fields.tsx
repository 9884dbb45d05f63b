import { useTranslation } from 'react-i18next'
import * as styles from '../../../components/limits/limits.module.css'
import { CALENDAR_WINDOWS, WINDOW_KINDS } from '../../../components/limits/windows.ts'
import { SelectField, TextField } from '../../../components/ui/field.tsx'
import type { FieldsProps } from './limit-form.ts'

/** The bounds of a limit; at least one is needed, as the server says. */
export function MeasureFields({ values, refusal, onChange }: FieldsProps) {
  const { t } = useTranslation('limits')
  const number = { type: 'number', min: 0, step: 1, inputMode: 'numeric', autoComplete: 'off' } as const
  return (
    <div className={styles.measures}>
      <TextField
        label={t('measure.money')}
        error={refusal('max_cost_micros')}
        inputMode="decimal"
        autoComplete="off"
        value={values.money}
        onChange={({ target }) => onChange({ money: target.value })}
      />
      <TextField
        label={t('currency')}
        error={refusal('currency')}
        maxLength={3}
        autoComplete="off"
        value={values.currency}
        onChange={({ target }) => onChange({ currency: target.value })}
      />
      <TextField
        label={t('measure.tokens')}
        error={refusal('max_total_tokens')}
        {...number}
        value={values.tokens}
        onChange={({ target }) => onChange({ tokens: target.value })}
      />
      <TextField
        label={t('measure.requests')}
        error={refusal('max_requests')}
        {...number}
        value={values.requests}
        onChange={({ target }) => onChange({ requests: target.value })}
      />
      <TextField
        label={t('measure.parallel')}
        error={refusal('max_parallel')}
        {...number}
        value={values.parallel}
        onChange={({ target }) => onChange({ parallel: target.value })}
      />
    </div>
  )
}

/** The time in which a limit counts. */
export function WindowFields({ values, refusal, onChange }: FieldsProps) {
  const { t } = useTranslation('limits')
  const isCalendar = CALENDAR_WINDOWS.some((unit) => unit === values.window)
  const about = refusal('window')
  return (
    <div className={styles.measures}>
      <SelectField
        label={t('window')}
        error={isCalendar ? about : undefined}
        options={WINDOW_KINDS.map((kind) => [kind, t(`windowKind.${kind}`)])}
        value={values.window}
        onChange={({ target }) => {
          const window = WINDOW_KINDS.find((kind) => kind === target.value)
          if (window !== undefined) onChange({ window })
        }}
      />
      {!isCalendar && (
        <TextField
          label={t('length')}
          hint={t('lengthHint')}
          error={about}
          required
          autoComplete="off"
          value={values.length}
          onChange={({ target }) => onChange({ length: target.value })}
        />
      )}
    </div>
  )
}
