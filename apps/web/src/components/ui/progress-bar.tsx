import * as styles from './progress-bar.module.css'

const TONES = { '': '', warn: styles.warn, bad: styles.bad, mute: styles.muted, c1: styles.colour1 }

/** A bar of progress. @param share 0 to 1; undefined while it is not known @param text the value in words */
export function ProgressBar({
  share,
  label,
  text,
  tone = '',
}: {
  readonly share: number | undefined
  readonly label: string
  readonly text: string
  readonly tone?: '' | 'warn' | 'bad' | 'mute'
}) {
  const percent = Math.round(Math.min(1, Math.max(0, share ?? 0)) * 100)
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuetext={text}
      {...(share === undefined ? {} : { 'aria-valuenow': percent })}
    >
      <i className={TONES[tone]} style={{ width: `${percent}%` }} />
    </div>
  )
}

/** A level, such as memory in use: not a task that ends. @param more a further share that is spoken for, drawn behind */
export function Meter({
  share,
  more = 0,
  label,
  text,
  tone = 'mute',
}: {
  readonly share: number
  readonly more?: number
  readonly label: string
  readonly text: string
  readonly tone?: 'mute' | 'warn' | 'bad' | 'c1'
}) {
  const percent = Math.round(Math.min(1, Math.max(0, share)) * 100)
  return (
    // biome-ignore lint/a11y/useSemanticElements: browsers draw <meter> in colours of their own
    <div
      className={styles.bar}
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={text}
    >
      <i className={TONES[tone]} style={{ width: `${percent}%` }} />
      {more > 0 && (
        <i className={styles.striped} style={{ width: `${Math.round(Math.min(1 - share, more) * 100)}%` }} />
      )}
    </div>
  )
}
