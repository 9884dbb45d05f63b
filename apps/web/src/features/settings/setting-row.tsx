import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { Icon } from '../../components/ui/icon.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { useConnection } from '../../lib/connection.ts'
import { useSettingTexts } from '../../lib/setting-texts.ts'
import type { Origin } from './api.ts'
import { type Draft, findKind } from './drafts.ts'
import { SettingControl } from './setting-control.tsx'
import * as styles from './settings.module.css'

/** One setting: its description, its value, the source of the value, and its lock. */
export function SettingRow({
  origin,
  value,
  draft,
  onChange,
}: {
  readonly origin: Origin
  readonly value: unknown
  readonly draft: Draft | undefined
  readonly onChange: (draft: Draft | undefined) => void
}) {
  const { t } = useTranslation('settings')
  const { label, about } = useSettingTexts()(origin)
  const { state } = useConnection()
  const id = useId()
  const isLocked = origin.locked_by !== null
  const isTakenAway = draft?.value === null
  return (
    <div className={styles.setting} id={origin.key} data-changed={draft !== undefined}>
      <div className={styles.settingText}>
        <label htmlFor={id}>
          {label} <code>{origin.key}</code>
        </label>
        <p className="muted" id={`${id}-about`}>
          {about}
        </p>
        {origin.saved_value_unused && <p className={`${fieldStyles.hint} ${fieldStyles.error}`}>{t('unused')}</p>}
        {origin.problems !== undefined && (
          <ul className={`problemList ${fieldStyles.hint} ${fieldStyles.error}`} aria-label={t('problems')}>
            {origin.problems.map((problem) => (
              <li key={problem}>{problem}</li>
            ))}
          </ul>
        )}
        <p className="row wrap meta">
          <Badge tone={origin.source === 'default' ? '' : 'info'}>{t(`source.${origin.source}`)}</Badge>
          <LockReason origin={origin} />
          {origin.source === 'file' && !isLocked && !isTakenAway && (
            <Button small kind="ghost" onClick={() => onChange({ value: null })}>
              {t('takeAway')}
            </Button>
          )}
        </p>
      </div>
      <div className={styles.settingControl}>
        {isTakenAway ? (
          <p className="row wrap">
            {t('takenAway')}
            <Button small onClick={() => onChange(undefined)}>
              {t('keep')}
            </Button>
          </p>
        ) : (
          <SettingControl
            id={id}
            name={origin.key}
            kind={findKind(origin, value)}
            value={value}
            draft={draft}
            isLocked={isLocked || state === 'offline'}
            onChange={onChange}
          />
        )}
      </div>
    </div>
  )
}

/**
 * Names the flag or the variable that has the last word. It is read only at the start; other settings need no restart.
 */
function LockReason({ origin: { locked_by: lock, flag, variables } }: { readonly origin: Origin }) {
  const { t } = useTranslation('settings')
  if (lock === null || lock === 'branding') return null
  const name = lock === 'flag' ? flag : lock === 'environment' ? variables.join(', ') : null
  return (
    <span className="row">
      <Icon name="lock" small />
      {t(`lock.${lock}`)}
      {name !== null && name !== '' && <code>{name}</code>}
      {name !== null && t('lock.restart')}
    </span>
  )
}
