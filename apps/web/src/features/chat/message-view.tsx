import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AttachedFile } from '../../components/chat/attachment-list.tsx'
import * as composerStyles from '../../components/chat/composer.module.css'
import { Markdown } from '../../components/markdown/markdown.tsx'
import type { Chat, Message } from '../../lib/chat/types.ts'
import { useLiveAnswer } from '../../lib/chat/use-chats.ts'
import { Announcer } from './announcer.tsx'
import * as styles from './chat.module.css'
import { FailureNotice } from './failure-notice.tsx'
import { LiveLine } from './live-line.tsx'
import { MessageActions } from './message-actions.tsx'
import { ReadingFault } from './reading-fault.tsx'
import { Reasoning } from './reasoning.tsx'
import { ToolCalls } from './tool-calls.tsx'

interface MessageProps {
  readonly message: Message
  /** The chat, which may have other versions of the message. */
  readonly chat: Chat
  /** Whether an answer of the chat is being written. */
  readonly isBusy: boolean
}

/** A message of the reader. */
export const Question = memo(function Question({ message, chat, isBusy }: MessageProps) {
  const { t } = useTranslation('chat')
  const { attachments, text } = message
  return (
    <article className={styles.question} aria-label={t('you')}>
      <div className={styles.said}>
        {attachments.length > 0 && (
          <ul className={composerStyles.files}>
            {attachments.map((attachment) => (
              <li key={attachment.id}>
                <AttachedFile attachment={attachment} />
              </li>
            ))}
          </ul>
        )}
        {text !== '' && <p>{text}</p>}
      </div>
      <MessageActions message={message} chat={chat} isBusy={isBusy} />
    </article>
  )
})

/**
 * An answer, while it is written and afterwards. The parts stay the same, so that the end does not draw them again.
 *
 * @param isLive whether it is being written; only then is it drawn with each frame
 */
export const AnswerView = memo(function AnswerView({
  message: kept,
  chat,
  isBusy,
  isLive,
}: MessageProps & { readonly isLive: boolean }) {
  const { t } = useTranslation('chat')
  const [isRaw, setRaw] = useState(false)
  const live = useLiveAnswer(kept.chatId, isLive)
  const message = live?.message.id === kept.id ? live.message : kept
  const { text, servedModel, model } = message
  return (
    <article
      className={styles.answer}
      aria-label={t('answerOf', { model: servedModel ?? model ?? '' })}
      aria-busy={isLive}
    >
      <Served message={message} />
      <Reasoning message={message} isLive={isLive} />
      <ToolCalls calls={message.toolCalls} isLive={isLive} />
      {isRaw ? (
        <pre className={styles.raw}>{text}</pre>
      ) : (
        text !== '' && (
          <div className={isLive ? styles.growing : ''}>
            <Markdown text={text} isGrowing={isLive} />
          </div>
        )
      )}
      {isLive ? (
        <>
          {live !== undefined && <LiveLine live={live} chatId={kept.chatId} />}
          <Announcer text={text} />
        </>
      ) : (
        <>
          <FailureNotice message={message} isBusy={isBusy} />
          <ReadingFault id={message.id} />
          <MessageActions message={message} chat={chat} isBusy={isBusy} isRaw={isRaw} onRaw={() => setRaw(!isRaw)} />
        </>
      )}
    </article>
  )
})

/** The model that answered; for a router or a failover its label, and the model behind it. */
function Served({ message }: { readonly message: Message }) {
  const { t } = useTranslation('chat')
  const { model, servedModel } = message
  return (
    <header>
      <span className={styles.who}>{model}</span>
      {servedModel !== undefined && servedModel !== model && (
        <span className="meta">{t('servedBy', { model: servedModel })}</span>
      )}
    </header>
  )
}
