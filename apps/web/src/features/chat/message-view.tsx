import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AttachedFile } from '../../components/chat/attachment-list.tsx'
import { Markdown } from '../../components/markdown/markdown.tsx'
import type { Chat, Message } from '../../lib/chat/types.ts'
import { FailureNotice } from './failure-notice.tsx'
import { MessageActions } from './message-actions.tsx'
import { Reasoning } from './reasoning.tsx'
import { ToolCalls } from './tool-calls.tsx'

/** A finished message. @param versions the chat, in which other versions of the message may stand */
export function MessageView({
  message,
  versions,
  isBusy,
}: {
  readonly message: Message
  readonly versions: Chat
  readonly isBusy: boolean
}) {
  const { t } = useTranslation('chat')
  const [isRaw, setRaw] = useState(false)
  const actions = (
    <MessageActions message={message} chat={versions} isBusy={isBusy} isRaw={isRaw} onRaw={() => setRaw(!isRaw)} />
  )
  if (message.role === 'user') {
    return (
      <article className="u" aria-label={t('you')}>
        <div className="said">
          {message.attachments.length > 0 && (
            <ul className="files">
              {message.attachments.map((attachment) => (
                <li key={attachment.id}>
                  <AttachedFile attachment={attachment} />
                </li>
              ))}
            </ul>
          )}
          {message.text !== '' && <p>{message.text}</p>}
        </div>
        {actions}
      </article>
    )
  }
  return (
    <article className="a" aria-label={t('answerOf', { model: nameModel(message) })}>
      <Served message={message} />
      <Reasoning message={message} isLive={false} />
      <ToolCalls calls={message.toolCalls} isLive={false} />
      {isRaw ? <pre className="raw">{message.text}</pre> : message.text !== '' && <Markdown text={message.text} />}
      <FailureNotice message={message} isBusy={isBusy} />
      {actions}
    </article>
  )
}

/** The model that answered; for a router or a failover its label, and the model behind it. */
export function Served({ message }: { readonly message: Message }) {
  const { t } = useTranslation('chat')
  const { model, servedModel } = message
  return (
    <header>
      <span className="who">{model}</span>
      {servedModel !== undefined && servedModel !== model && (
        <span className="meta">{t('servedBy', { model: servedModel })}</span>
      )}
    </header>
  )
}

export function nameModel({ model, servedModel }: Message): string {
  return servedModel ?? model ?? ''
}
