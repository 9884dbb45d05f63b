import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import * as fieldStyles from '../../components/ui/field.module.css'
import { SelectField } from '../../components/ui/field.tsx'
import { formatNumber } from '../../lib/format.ts'
import { ACTIONS, type Action, countTypes, type Finding, NO_TRIAL, type Trial } from './findings.ts'
import * as styles from './pii.module.css'

/** Tries a least score and other actions on the present findings. Sends and saves nothing. */
export function TrialCard({
  findings,
  trial,
  isTrial,
  onTrial,
}: {
  readonly findings: readonly Finding[]
  readonly trial: Trial
  readonly isTrial: boolean
  readonly onTrial: (trial: Trial) => void
}) {
  const { t } = useTranslation('pii')
  const slider = useId()
  const hasModelFindings = findings.some(({ source }) => source === 'ner')
  return (
    <div className="card">
      <header>
        <h3>{t('trial')}</h3>
        {isTrial && (
          <span className="push">
            <Button small kind="ghost" onClick={() => onTrial(NO_TRIAL)}>
              {t('trialReset')}
            </Button>
          </span>
        )}
      </header>
      <div className="cardBody stack">
        <div className={styles.trial}>
          {hasModelFindings && (
            <div className={fieldStyles.field}>
              <label htmlFor={slider}>{t('minScore', { score: formatNumber(trial.minScore, 2) })}</label>
              <input
                id={slider}
                type="range"
                min={0}
                max={1}
                step={0.01}
                value={trial.minScore}
                onChange={({ target }) => onTrial({ ...trial, minScore: Number(target.value) })}
              />
            </div>
          )}
          {[...countTypes(findings).keys()].map((type) => (
            <SelectField
              key={type}
              label={type}
              value={trial.actions[type] ?? ''}
              options={[['', t('asFound')], ...ACTIONS.map((action) => [action, t(`action.${action}`)] as const)]}
              onChange={({ target }) => onTrial(setAction(trial, type, target.value))}
            />
          ))}
        </div>
        <p className="meta">{hasModelFindings ? t('trialAboutScore') : t('trialAbout')}</p>
      </div>
    </div>
  )
}

function setAction(trial: Trial, type: string, value: string): Trial {
  const { [type]: _, ...others } = trial.actions
  const action = ACTIONS.find((known): known is Action => known === value)
  return { ...trial, actions: action === undefined ? others : { ...others, [type]: action } }
}
