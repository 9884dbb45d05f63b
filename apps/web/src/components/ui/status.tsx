import type { ReactNode } from 'react'
import * as styles from './status.module.css'

const STATUS_TONES = { neutral: '', ok: styles.ok, warn: styles.warn, bad: styles.bad, run: styles.run }
const BADGE_TONES = {
  '': '',
  ok: styles.badgeOk,
  warn: styles.badgeWarn,
  bad: styles.badgeBad,
  info: styles.badgeInfo,
  acc: styles.badgeAccent,
}

/** A state as shape, colour and word. `neutral` is a grey dot, `ok` a dot, `warn` a triangle, `bad` a diamond, `run` a half dot. */
export function Status({
  tone = 'neutral',
  children,
}: {
  readonly tone?: 'neutral' | 'ok' | 'warn' | 'bad' | 'run'
  readonly children: ReactNode
}) {
  return <span className={`${styles.status} ${STATUS_TONES[tone]}`}>{children}</span>
}

/** A short word about a thing, such as its kind. */
export function Badge({
  tone = '',
  children,
}: {
  readonly tone?: '' | 'ok' | 'warn' | 'bad' | 'info' | 'acc'
  readonly children: ReactNode
}) {
  return (
    <span className={`${styles.badge} ${BADGE_TONES[tone]}`} data-badge>
      {children}
    </span>
  )
}

/** A letter tile in place of a picture: pictures of galleries are on other servers and are never fetched. */
export function LetterTile({ name, large = false }: { readonly name: string; readonly large?: boolean }) {
  return (
    <span className={large ? `${styles.tile} ${styles.large}` : styles.tile} aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
  )
}
