import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { TraceLink } from '../../components/chat/trace-link.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { toError } from '../../lib/chat/failure.ts'
import { listAsked, listDecided } from '../../lib/chat/tool-calls.ts'
import type { Message } from '../../lib/chat/types.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'

/** The reason why an answer is not whole, and the next step: retry, or continue it. */
export function FailureNotice({ message, isBusy }: { readonly message: Message; readonly isBusy: boolean }) {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const { id, chatId, state, failure, text, reasoning, isCut = false } = message
  const hasText = text !== ''
  // the same object while the message is the same, so that its countdown goes on
  const error = useMemo(() => failure && toError(failure), [failure])
  const hasCalls = message.toolCalls.some(({ result }) => result !== undefined) || listDecided(message).length > 0
  const goOn = (hasText || hasCalls) && listAsked(message).length === 0 && (
    <Button small disabled={isBusy} onClick={() => store.continueAnswer(chatId, id)}>
      {t('continue')}
    </Button>
  )
  if (state === 'failed') {
    return (
      <>
        {failure !== undefined && (
          <ErrorBlock
            error={error}
            actions={<TraceLink correlationId={failure.correlationId} />}
            onRetry={isBusy ? undefined : () => store.regenerate(chatId, id)}
          />
        )}
        {goOn}
      </>
    )
  }
  if (state === 'streaming') return <Notice>{t('otherTab')}</Notice>
  const isEmpty = state === 'done' && !hasText && reasoning === '' && message.toolCalls.length === 0
  if (state === 'done' && !isCut && !isEmpty) return null
  const reason = isEmpty ? 'empty' : state === 'done' ? 'cut' : state
  return (
    <Notice
      tone={reason === 'stopped' ? 'info' : 'warn'}
      actions={
        <>
          {goOn || (
            <Button small disabled={isBusy} icon="regenerate" onClick={() => store.regenerate(chatId, id)}>
              {t('common:retry')}
            </Button>
          )}
          <TraceLink correlationId={failure?.correlationId} />
        </>
      }
    >
      {t(`ended.${reason}`)}
    </Notice>
  )
}
