import { useTranslation } from 'react-i18next'
import { Markdown } from '../../components/markdown/markdown.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ProgressBar } from '../../components/ui/progress-bar.tsx'
import { Status } from '../../components/ui/status.tsx'
import type { ModelLoad } from '../../lib/chat/model-load.ts'
import type { LiveAnswer } from '../../lib/chat/run-answer.ts'
import type { Message } from '../../lib/chat/types.ts'
import { useChatStore, useLiveAnswer, useNow } from '../../lib/chat/use-chats.ts'
import { formatBytes, formatDuration, formatNumber, formatPercent } from '../../lib/format.ts'
import { Announcer } from './announcer.tsx'
import { nameModel, Served } from './message-view.tsx'
import { Reasoning } from './reasoning.tsx'
import { ToolCalls } from './tool-calls.tsx'

/** The answer that is being written. It alone is drawn again with each frame. */
export function LiveMessage({ chatId, message: kept }: { readonly chatId: string; readonly message: Message }) {
  const { t } = useTranslation('chat')
  const live = useLiveAnswer(chatId)
  const message = live?.message.id === kept.id ? live.message : kept
  return (
    <article className="a" aria-label={t('answerOf', { model: nameModel(message) })} aria-busy="true">
      <Served message={message} />
      <Reasoning message={message} isLive />
      <ToolCalls calls={message.toolCalls} isLive />
      {message.text !== '' && (
        <div className="growing">
          <Markdown text={message.text} isGrowing />
        </div>
      )}
      {live !== undefined && <LiveLine live={live} chatId={chatId} />}
      <Announcer text={message.text} />
    </article>
  )
}

function LiveLine({ live, chatId }: { readonly live: LiveAnswer; readonly chatId: string }) {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const now = useNow(true)
  const { phase, startedAt, pieces, retry, load } = live
  const seconds = Math.max(0, now - startedAt)
  if (phase === 'retrying' && retry !== undefined) {
    const left = Math.max(0, Math.ceil((retry.at - now) / 1000))
    return (
      <div className="note warn" role="status">
        <div className="grow">
          {retry.failure.code === 'model_loading' ? t('loading.wait') : retry.failure.message}
          <LoadBar load={load} />
          <div className="row wrap">
            <span className="meta" aria-hidden="true">
              {t('retry.in', { count: left })}
            </span>
            <Button small onClick={() => store.stop(chatId)}>
              {t('retry.cancel')}
            </Button>
          </div>
        </div>
      </div>
    )
  }
  return (
    <div>
      <p className="live">
        <Status tone="run">{t(`phase.${load === undefined ? phase : 'loading'}`)}</Status>
        <span className="meta" aria-hidden="true">
          {pieces > 0 && (
            <>
              {t('figures.tokens', { count: pieces, tokens: formatNumber(pieces) })}
              <span className="sep" />
            </>
          )}
          {formatDuration(Math.floor(seconds / 100) * 100)}
          {pieces > 1 && seconds > 1000 && (
            <>
              <span className="sep" />
              {t('figures.speed', { speed: formatNumber(pieces / (seconds / 1000), 1) })}
            </>
          )}
        </span>
      </p>
      <LoadBar load={load} />
    </div>
  )
}

/** How far the model is loaded. */
function LoadBar({ load }: { readonly load: ModelLoad | undefined }) {
  const { t } = useTranslation('chat')
  if (load === undefined) return null
  const { state, progress, bytesDone, bytesTotal } = load
  const size =
    bytesTotal > 0 ? t('loading.bytes', { done: formatBytes(bytesDone), total: formatBytes(bytesTotal) }) : ''
  const text = t(`loading.${state}`, { percent: formatPercent(progress), size })
  return (
    <div className="load">
      <span className="meta">{text}</span>
      <ProgressBar label={t('loading.label')} share={progress} text={text} />
    </div>
  )
}
