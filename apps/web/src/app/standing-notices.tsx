import { useTranslation } from 'react-i18next'
import { Icon } from '../components/ui/icon.tsx'
import { useConnection } from '../lib/connection.ts'
import { formatTime } from '../lib/format.ts'
import { useSession } from '../lib/session.ts'

/** Says that the server is away; data on the page carries its age meanwhile. */
export function ConnectionBanner() {
  const { t } = useTranslation()
  const { state, lastReplyAt } = useConnection()
  return (
    <div role="status">
      {state === 'offline' && (
        <p className="offline">
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
    <p className="open-note meta">
      <Icon name="info" small />
      {t('server.open')}
    </p>
  ) : null
}
