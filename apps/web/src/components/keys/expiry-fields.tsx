import { useTranslation } from 'react-i18next'
import { SelectField, TextField } from '../ui/field.tsx'
import type { ExpiryChoice } from './expiry.ts'

/** The end of a key, as it is chosen. */
export interface ExpiryValues {
  readonly choice: ExpiryChoice
  /** The last day, `YYYY-MM-DD`. */
  readonly date: string
}

/** Asks when a key ends. */
export function ExpiryFields({
  choices,
  values,
  onChange,
}: {
  readonly choices: readonly ExpiryChoice[]
  readonly values: ExpiryValues
  readonly onChange: (values: ExpiryValues) => void
}) {
  const { t } = useTranslation('account')
  return (
    <>
      <SelectField
        label={t('keys.expires')}
        options={choices.map((value) => [value, t(`keys.expiry.${value}`)])}
        value={values.choice}
        onChange={({ target }) => {
          const choice = choices.find((value) => value === target.value)
          if (choice !== undefined) onChange({ ...values, choice })
        }}
      />
      {values.choice === 'date' && (
        <TextField
          label={t('keys.lastDay')}
          type="date"
          required
          min={new Date().toISOString().slice(0, 10)}
          value={values.date}
          onChange={({ target }) => onChange({ ...values, date: target.value })}
        />
      )}
    </>
  )
}
