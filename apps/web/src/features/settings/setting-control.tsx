import { useTranslation } from 'react-i18next'
import * as fieldStyles from '../../components/ui/field.module.css'
import type { ControlProps } from './control-props.ts'
import { type Kind, readDraft, toText } from './drafts.ts'
import { SecretControl, SecretListControl } from './secret-control.tsx'

/** The field that fits a setting. */
export function SettingControl({ kind, ...props }: ControlProps & { readonly kind: Kind }) {
  const { t } = useTranslation('settings')
  const { id, value, draft, isLocked, onChange } = props
  if (kind === 'secret') return <SecretControl {...props} />
  if (kind === 'secrets') return <SecretListControl {...props} />
  if (kind === 'switch') {
    const isOn = (draft === undefined ? value : draft.value) === true
    return (
      <span className={fieldStyles.check}>
        <input
          id={id}
          type="checkbox"
          role="switch"
          className={fieldStyles.switch}
          aria-checked={isOn}
          aria-describedby={`${id}-about`}
          checked={isOn}
          disabled={isLocked}
          onChange={({ target }) => onChange({ value: target.checked })}
        />
        <span aria-hidden="true">{isOn ? t('on') : t('off')}</span>
      </span>
    )
  }
  const text = draft?.text ?? toText(kind, value)
  const fault = draft?.fault
  const shared = {
    id,
    className: fieldStyles.input,
    value: text,
    readOnly: isLocked,
    spellCheck: false,
    'aria-invalid': fault !== undefined || undefined,
    'aria-describedby': fault === undefined ? `${id}-about` : `${id}-fault`,
  }
  return (
    <>
      {kind === 'lines' || kind === 'json' ? (
        <textarea
          {...shared}
          className={`${fieldStyles.input} monospace`}
          rows={Math.min(12, Math.max(2, text.split('\n').length))}
          onChange={({ target }) => onChange(readDraft(kind, target.value))}
        />
      ) : (
        <input
          {...shared}
          type="text"
          inputMode={kind === 'number' ? 'decimal' : 'text'}
          autoComplete="off"
          onChange={({ target }) => onChange(readDraft(kind, target.value))}
        />
      )}
      {kind === 'lines' && <p className={fieldStyles.hint}>{t('onePerLine')}</p>}
      {fault !== undefined && (
        <p className={`${fieldStyles.hint} ${fieldStyles.error}`} id={`${id}-fault`} role="alert">
          {t(`fault.${fault}`)}
        </p>
      )}
    </>
  )
}
