import { memo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AttachedFile } from '../../components/chat/attachment-list.tsx'
import * as composerStyles from '../../components/chat/composer.module.css'
import { Markdown } from '../../components/markdown/markdown.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { type AnswerPart, listAsked, listParts } from '../../lib/chat/tool-calls.ts'
import type { Chat, Message } from '../../lib/chat/types.ts'
import { useLiveAnswer } from '../../lib/chat/use-chats.ts'
import { Announcer } from './announcer.tsx'
import * as styles from './chat.module.css'
import { Consent } from './consent.tsx'
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
      tabIndex={-1}
    >
      <Served message={message} />
      <Reasoning message={message} isLive={isLive} />
      {message.serverFaults?.map((fault) => (
        <Notice key={fault} tone="warn">
          {fault}
        </Notice>
      ))}
      {listParts(message).map((part, index, { length }) => (
        <Part
          // a part stays at its place while the answer grows
          key={`${index} ${part.kind}`}
          {...{ part, isRaw, message }}
          isLive={isLive}
          isGrowing={isLive && index === length - 1}
          canDecide={!isBusy && message.state !== 'streaming' && chat.entry.leafId === message.id}
        />
      ))}
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

/** A part of an answer: text, or calls of tools. Calls that wait for the reader stand below the others. */
function Part({
  part,
  message,
  isRaw,
  isLive,
  isGrowing,
  canDecide,
}: {
  readonly part: AnswerPart
  readonly message: Message
  readonly isRaw: boolean
  readonly isLive: boolean
  readonly isGrowing: boolean
  readonly canDecide: boolean
}) {
  if (part.kind === 'calls') {
    const asked = canDecide ? listAsked({ toolCalls: part.calls }) : []
    const others = part.calls.filter((call) => !asked.includes(call))
    return (
      <>
        {others.length > 0 && <ToolCalls calls={others} isLive={isLive} />}
        {asked.length > 0 && <Consent message={message} calls={asked} />}
      </>
    )
  }
  if (isRaw) return <pre className={styles.raw}>{part.text}</pre>
  return (
    <div className={isGrowing ? styles.growing : ''}>
      <Markdown text={part.text} isGrowing={isGrowing} />
    </div>
  )
}

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
