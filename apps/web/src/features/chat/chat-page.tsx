import { useNavigate, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState, Skeleton } from '../../components/ui/states.tsx'
import { useChatModels } from '../../lib/chat/models.ts'
import { useChat, useChatStore } from '../../lib/chat/use-chats.ts'
import * as styles from './chat.module.css'
import { ChatList } from './chat-list.tsx'
import { Conversation } from './conversation.tsx'
import { NewChat } from './new-chat.tsx'
import { useChatSearch } from './use-chat-search.ts'

/** The chats of the viewer: the list, and one of them. */
export function ChatPage() {
  const { t } = useTranslation('chat')
  const { id } = useParams({ strict: false })
  const [{ list }] = useChatSearch()
  return (
    <>
      <PageHead title={t('common:nav.chat')} isHidden />
      <div className={list ? `${styles.page} ${styles.isList}` : styles.page}>
        <ChatList chatId={id} />
        {id === undefined ? <NewChat /> : <OpenChat key={id} chatId={id} />}
      </div>
    </>
  )
}

/** A chat by its id. An id that names a model opens a new chat with that model. */
function OpenChat({ chatId }: { readonly chatId: string }) {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const navigate = useNavigate()
  const view = useChat(chatId)
  const { models, isFetching, refetch } = useChatModels()
  const isMissing = view.state === 'missing'
  const isModel = isMissing && models?.some(({ id }) => id === chatId)
  const hasDraft = isMissing && store.drafts.has(chatId)
  useEffect(() => {
    // a text that was typed before a new sign-in brings its chat back
    if (hasDraft && !isModel) store.createChat('', undefined, chatId)
  }, [hasDraft, isModel, store, chatId])
  const isUnknown = isMissing && models !== undefined && !isModel
  useEffect(() => {
    // the id may name a model that came after the list was read
    if (isUnknown) void refetch()
  }, [isUnknown, refetch])
  if (view.state === 'ready') return <Conversation chat={view} />
  if (isModel) return <NewChat model={chatId} />
  if (view.state === 'loading' || models === undefined || hasDraft || (isUnknown && isFetching)) {
    return (
      <section className={styles.conversation} aria-label={t('conversation')}>
        <Skeleton lines={6} />
      </section>
    )
  }
  return (
    <section className={styles.conversation} aria-label={t('conversation')}>
      <EmptyState
        icon="chat"
        title={t('missing.title')}
        action={
          <button type="button" className={buttonClass('primary')} onClick={() => void navigate({ to: '/app/chat' })}>
            {t('newChat')}
          </button>
        }
      >
        {t('missing.about')}
      </EmptyState>
    </section>
  )
}
