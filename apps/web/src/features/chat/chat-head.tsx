import { lazy, type ReactNode, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import type { ChatEntry } from '../../lib/chat/types.ts'
import * as styles from './chat.module.css'
import { useChatSearch } from './use-chat-search.ts'

const ChatMenu = lazy(async () => ({ default: (await import('./chat-menu.tsx')).ChatMenu }))

/** The title of a chat, and the actions on it. */
export function ChatHead({ entry, children }: { readonly entry: ChatEntry; readonly children: ReactNode }) {
  const { t } = useTranslation('chat')
  const { title } = entry
  const [, changeSearch] = useChatSearch()
  return (
    <header className={styles.head}>
      <IconButton
        className={styles.listOnly}
        icon="chevron-left"
        label={t('list.all')}
        onClick={() => changeSearch({ list: true })}
      />
      <h2 className="clip" title={title}>
        {title === '' ? t('newChat') : title}
      </h2>
      <div className="row push">
        <Suspense>
          <ChatMenu entry={entry} />
        </Suspense>
        {children}
      </div>
    </header>
  )
}
