import { useTranslation } from 'react-i18next'
import { Icon } from '../components/ui/icon.tsx'
import { useConnection } from '../lib/connection.ts'
import { formatTime } from '../lib/format.ts'
import { useSession } from '../lib/session.ts'
import * as styles from './standing-notices.module.css'

/** Says that the server is away. Meanwhile data on the page shows its age. */
export function ConnectionBanner() {
  const { t } = useTranslation()
  const { state, lastReplyAt } = useConnection()
  return (
    <div role="status">
      {state === 'offline' && (
        <p className={styles.offline}>
          <Icon name="warn" />
          {navigator.onLine ? t('server.awaySince', { time: formatTime(lastReplyAt) }) : t('server.offline')}
        </p>
      )}
    </div>
  )
}

/** Says that everyone who reaches this server is its admin. */
export function OpenServerNotice() {
  const { t } = useTranslation()
  const { viewer } = useSession()
  return viewer.kind === 'open' ? (
    <p className={`${styles.open} meta`} data-open-note>
      <Icon name="info" small />
      {t('server.open')}
    </p>
  ) : null
}
