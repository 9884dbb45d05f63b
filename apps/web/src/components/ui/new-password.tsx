import { useTranslation } from 'react-i18next'
import { readPasswordRefusal } from '../../lib/password-refusal.ts'
import { Checkbox, TextField } from './field.tsx'

/** A new password, and whether its owner insists on a weak one. */
export interface NewPassword {
  readonly password: string
  readonly acceptsWeak: boolean
}

/** A form without a password yet. */
export const NO_PASSWORD: NewPassword = { password: '', acceptsWeak: false }

/** The field of a new password. The server's refusal is shown below it; a weak password can be confirmed. */
export function NewPasswordField({
  label,
  value,
  error,
  onChange,
}: {
  readonly label: string
  readonly value: NewPassword
  /** The failure of the last try. */
  readonly error: unknown
  readonly onChange: (value: NewPassword) => void
}) {
  const { t } = useTranslation()
  const refusal = readPasswordRefusal(error)
  return (
    <div className="stack tight">
      <TextField
        label={label}
        type="password"
        autoComplete="new-password"
        required
        value={value.password}
        hint={t('newPassword.hint')}
        error={refusal?.message}
        onChange={({ target }) => onChange({ ...value, password: target.value })}
      />
      {(refusal?.isOverridable === true || value.acceptsWeak) && (
        <Checkbox
          label={t('newPassword.acceptWeak')}
          checked={value.acceptsWeak}
          onChange={({ target }) => onChange({ ...value, acceptsWeak: target.checked })}
        />
      )}
    </div>
  )
}
