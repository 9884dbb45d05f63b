import { useTranslation } from 'react-i18next'
import { Meter } from '../../components/ui/progress-bar.tsx'
import { Badge } from '../../components/ui/status.tsx'
import * as styles from './router.module.css'

/** A bar of the list. */
export interface LabelBar {
  readonly label: string
  /** 0 to 1 of the whole width. */
  readonly share: number
  /** The value in words. */
  readonly text: string
  readonly isActive?: boolean
}

/** Bars of labels, with a line at the threshold. @param threshold 0 to 1 of the whole width */
export function LabelBars({
  rows,
  threshold,
}: {
  readonly rows: readonly LabelBar[]
  readonly threshold?: number | undefined
}) {
  const { t } = useTranslation('router')
  return (
    <ul className={styles.bars}>
      {rows.map(({ label, share, text, isActive = false }) => (
        <li key={label}>
          <span className={styles.name}>
            {label} {isActive && <Badge tone="acc">{t('active')}</Badge>}
          </span>
          <span className={styles.track}>
            <Meter label={label} share={share} text={text} tone={isActive ? 'c1' : 'mute'} />
            {threshold !== undefined && (
              <i aria-hidden="true" style={{ insetInlineStart: `${Math.min(1, Math.max(0, threshold)) * 100}%` }} />
            )}
          </span>
          <span className={styles.value}>{text}</span>
        </li>
      ))}
    </ul>
  )
}
