import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import * as styles from './notice.module.css'

const TONES = { info: '', ok: styles.ok, warn: styles.warn, bad: styles.bad }
const ICONS: Record<string, IconName> = { info: 'info', ok: 'check', warn: 'warn', bad: 'warn' }

/** A standing remark inside a page: cause first, then the next step. */
export function Notice({
  tone = 'info',
  children,
  actions,
}: {
  readonly tone?: 'info' | 'ok' | 'warn' | 'bad'
  readonly children: ReactNode
  readonly actions?: ReactNode
}) {
  return (
    <div className={`${styles.notice} ${TONES[tone]}`} role={tone === 'bad' ? 'alert' : 'note'}>
      <Icon name={ICONS[tone] ?? 'info'} />
      <div className="grow">
        {children}
        {actions && <div className="row wrap">{actions}</div>}
      </div>
    </div>
  )
}
