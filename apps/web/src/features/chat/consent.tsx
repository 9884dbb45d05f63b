import { lazy, type MouseEvent, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Icon } from '../../components/ui/icon.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import type { Message, ToolCall } from '../../lib/chat/types.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'
import * as styles from './chat.module.css'
import { LongText } from './folded-text.tsx'

const FileDifference = lazy(async () => ({ default: (await import('./file-difference.tsx')).FileDifference }))

/** The label of the server of the assistant's tools. */
const ASSISTANT_SERVER = 'assistant'

/** Calls of tools that wait for the reader: what would run, and the buttons to allow and to decline it. */
export function Consent({ message, calls }: { readonly message: Message; readonly calls: readonly ToolCall[] }) {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const decide = (event: MouseEvent, ids: readonly string[], isAllowed: boolean) => {
    const article = event.currentTarget.closest('article')
    store.decideCalls(message.chatId, message.id, ids, isAllowed)
    // the buttons of a decided call are gone
    requestAnimationFrame(() => (article?.querySelector<HTMLElement>('[data-consent] button') ?? article)?.focus())
  }
  const all = calls.map(({ id }) => id)
  return (
    <div className="stack tight">
      <p className="visuallyHidden" role="alert">
        {calls.map(({ name, tool = name }) => t('consent.title', { tool })).join(' ')}
      </p>
      {calls.map((call) => (
        <ConsentCard key={call.id} call={call} onDecide={(event, isAllowed) => decide(event, [call.id], isAllowed)} />
      ))}
      {calls.length > 1 && (
        <div className="row wrap">
          <Button onClick={(event) => decide(event, all, true)}>{t('consent.allowAll', { count: all.length })}</Button>
          <Button onClick={(event) => decide(event, all, false)}>{t('consent.declineAll')}</Button>
        </div>
      )}
    </div>
  )
}

function ConsentCard({
  call,
  onDecide,
}: {
  readonly call: ToolCall
  readonly onDecide: (event: MouseEvent, isAllowed: boolean) => void
}) {
  const { t } = useTranslation('chat')
  const { name, tool = name, server = '', isStarted } = call
  const isEdit = server === ASSISTANT_SERVER && tool === 'edit_model_config'
  return (
    <section className={`${styles.call} ${styles.consent}`} data-consent aria-label={t('consent.title', { tool })}>
      <header>
        <Icon name="tool" small />
        <b>{t('consent.title', { tool })}</b>
        {server !== '' && <span className="meta">{t('tools.ofServer', { server })}</span>}
      </header>
      {isEdit ? (
        <Suspense>
          <FileDifference text={call.arguments} />
        </Suspense>
      ) : (
        <LongText text={call.arguments} />
      )}
      {isStarted === true && <Notice tone="warn">{t('consent.mayHaveRun')}</Notice>}
      <div className="row wrap">
        <Button kind="primary" onClick={(event) => onDecide(event, true)}>
          {t('consent.allow')}
        </Button>
        <Button onClick={(event) => onDecide(event, false)}>{t('consent.decline')}</Button>
      </div>
    </section>
  )
}
