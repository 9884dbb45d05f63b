import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { SearchField } from '../../components/ui/field.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { EmptyState, NoMatch, Skeleton } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { formatDay } from '../../lib/chat/age.ts'
import type { ChatEntry } from '../../lib/chat/types.ts'
import { useChatEntries, useRunningChats } from '../../lib/chat/use-chats.ts'
import { createMatcher } from '../../lib/match-words.ts'
import * as styles from './chat.module.css'
import { groupByAge } from './group-by-age.ts'
import { StorageLine } from './storage-line.tsx'
import { useChatSearch } from './use-chat-search.ts'

const ListMenu = lazy(async () => ({ default: (await import('./list-menu.tsx')).ListMenu }))

/** Rows that are drawn at first, and more on demand: a browser may hold thousands of chats. */
const ROWS = 100

/** The chats that this browser keeps, newest first. */
export function ChatList({ chatId }: { readonly chatId: string | undefined }) {
  const { t } = useTranslation('chat')
  const navigate = useNavigate()
  const entries = useChatEntries()
  const [{ q = '' }, changeSearch] = useChatSearch()
  const [rows, setRows] = useState(ROWS)
  const matches = createMatcher(q)
  const found = entries?.filter(({ title }) => matches(title))
  return (
    <aside className={styles.list} aria-label={t('list.title')}>
      <div className={styles.listHead}>
        <h2>{t('list.title')}</h2>
        <span className="push row">
          <Button
            small
            icon="plus"
            aria-keyshortcuts="Control+Shift+O"
            onClick={() => void navigate({ to: '/app/chat' })}
          >
            {t('newChat')}
          </Button>
          <Suspense>
            <ListMenu />
          </Suspense>
        </span>
      </div>
      <div className={styles.listSearch}>
        <SearchField label={t('list.search')} value={q} onChange={(value) => changeSearch({ q: value })} />
      </div>
      <ScrollRegion className={styles.scroll} aria-label={t('list.region')}>
        {found === undefined && <Skeleton lines={6} height={32} />}
        {entries?.length === 0 && <EmptyState title={t('list.empty.title')}>{t('list.empty.about')}</EmptyState>}
        {found?.length === 0 && entries?.length !== 0 && <NoMatch onClear={() => changeSearch({ q: '' })} />}
        {groupByAge(found?.slice(0, rows) ?? []).map(([group, members]) => (
          <div key={group}>
            <h3>{t(`list.group.${group}`)}</h3>
            <ul>
              {members.map((entry) => (
                <ChatRow key={entry.id} entry={entry} isOpen={entry.id === chatId} />
              ))}
            </ul>
          </div>
        ))}
        {found !== undefined && found.length > rows && (
          <Button kind="ghost" small onClick={() => setRows(rows + ROWS)}>
            {t('list.more', { count: found.length - rows })}
          </Button>
        )}
      </ScrollRegion>
      <StorageLine />
    </aside>
  )
}

function ChatRow({ entry, isOpen }: { readonly entry: ChatEntry; readonly isOpen: boolean }) {
  const { t } = useTranslation('chat')
  const isRunning = useRunningChats().has(entry.id)
  const title = entry.title === '' ? t('untitled') : entry.title
  return (
    <li>
      <Link
        to="/app/chat/$id"
        params={{ id: entry.id }}
        search={({ q }) => (q === undefined ? {} : { q })}
        title={title}
        {...(isOpen && { 'aria-current': 'page' as const })}
      >
        <span className="clip">{title}</span>
        {isRunning ? (
          <Status tone="run">{t('writing')}</Status>
        ) : (
          <span className="meta">{formatDay(entry.updatedAt)}</span>
        )}
      </Link>
    </li>
  )
}
