import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { notify } from '../../components/ui/toast.ts'
import { listVersions } from '../../lib/chat/tree.ts'
import type { Chat, Message } from '../../lib/chat/types.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'
import * as styles from './chat.module.css'
import { FigureLine } from './figure-line.tsx'
import { ReadAloudButton } from './read-aloud-button.tsx'

/** Actions on a message. Nothing changes the chat while an answer is written. */
export function MessageActions({
  message,
  chat,
  isBusy,
  isRaw = false,
  onRaw,
}: {
  readonly message: Message
  readonly chat: Chat
  readonly isBusy: boolean
  readonly isRaw?: boolean
  readonly onRaw?: () => void
}) {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const { id, chatId, role, text, attachments } = message
  const remove = () => {
    const undo = store.removeMessage(chatId, id)
    notify('success', t('messageDeleted'), { label: t('undo'), onClick: undo })
  }
  const edit = () => store.drafts.open(chatId).set({ text, attachments, editedId: id })
  return (
    <div className={styles.actions}>
      <CopyButton text={text} label={role === 'user' ? t('copyMessage') : t('copyAnswer')} />
      {role === 'user' ? (
        <IconButton small icon="edit" label={t('edit')} disabled={isBusy} onClick={edit} />
      ) : (
        <>
          <IconButton
            small
            icon="regenerate"
            label={t('regenerate')}
            disabled={isBusy}
            onClick={() => store.regenerate(chatId, id)}
          />
          <ReadAloudButton id={id} text={text} />
          <IconButton small icon="raw" label={t('raw')} aria-pressed={isRaw} onClick={onRaw} />
        </>
      )}
      <IconButton small icon="trash" label={t('deleteMessage')} disabled={isBusy} onClick={remove} />
      <Versions message={message} chat={chat} isBusy={isBusy} />
      {role === 'assistant' && <FigureLine figures={message.figures} />}
    </div>
  )
}

/** Goes through the versions of a message. */
function Versions({
  message,
  chat,
  isBusy,
}: {
  readonly message: Message
  readonly chat: Chat
  readonly isBusy: boolean
}) {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const versions = listVersions(chat.messages, message)
  const place = versions.findIndex(({ id }) => id === message.id)
  const previous = versions[place - 1]
  const next = versions[place + 1]
  if (versions.length < 2) return null
  const show = (version: Message | undefined) => version && store.showVersion(version.chatId, version.id)
  return (
    <span className={styles.versions}>
      <IconButton
        small
        icon="chevron-left"
        label={t('version.previous')}
        disabled={isBusy || previous === undefined}
        onClick={() => show(previous)}
      />
      <span className="meta">{t('version.place', { place: place + 1, count: versions.length })}</span>
      <IconButton
        small
        icon="chevron-right"
        label={t('version.next')}
        disabled={isBusy || next === undefined}
        onClick={() => show(next)}
      />
    </span>
  )
}
