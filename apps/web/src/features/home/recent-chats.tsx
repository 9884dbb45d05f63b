import { Link } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { EmptyState, Skeleton } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { formatDay } from '../../lib/chat/age.ts'
import { useChatEntries, useRunningChats } from '../../lib/chat/use-chats.ts'
import * as styles from './home.module.css'

const ROWS = 5

/** The newest chats of this browser. */
export function RecentChats() {
  const { t } = useTranslation('home')
  const entries = useChatEntries()
  const running = useRunningChats()
  return (
    <section className="card">
      <header>
        <h2>{t('chats.title')}</h2>
        <Link className={`${buttonClass('ghost', 'small')} push`} to="/app/chat">
          {t('chats.all')}
          <Icon name="chevron-right" small />
        </Link>
      </header>
      {entries === undefined && <Skeleton lines={3} height={32} />}
      {entries?.length === 0 && <EmptyState icon="chat" title={t('chats.none')} />}
      {entries !== undefined && entries.length > 0 && (
        <ul className={styles.recent}>
          {entries.slice(0, ROWS).map(({ id, title, updatedAt }) => (
            <li key={id}>
              <Link to="/app/chat/$id" params={{ id }} title={title}>
                <span className="clip">{title === '' ? t('chat:untitled') : title}</span>
                {running.has(id) ? (
                  <Status tone="run">{t('chat:writing')}</Status>
                ) : (
                  <span className="meta">{formatDay(updatedAt)}</span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
