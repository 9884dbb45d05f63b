import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import * as noticeStyles from '../../components/ui/notice.module.css'
import { ProgressBar } from '../../components/ui/progress-bar.tsx'
import { Status } from '../../components/ui/status.tsx'
import type { ModelLoad } from '../../lib/chat/model-load.ts'
import type { LiveAnswer } from '../../lib/chat/run-answer.ts'
import { useChatStore } from '../../lib/chat/use-chats.ts'
import { formatBytes, formatDuration, formatNumber, formatPercent } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import * as styles from './chat.module.css'

/** State of an answer: waiting, loading its model, thinking or writing, with its figures so far. */
export function LiveLine({ live, chatId }: { readonly live: LiveAnswer; readonly chatId: string }) {
  const { t } = useTranslation('chat')
  const store = useChatStore()
  const now = useNow(true)
  const { phase, startedAt, pieces, retry, load } = live
  const seconds = Math.max(0, now - startedAt)
  if (phase === 'retrying' && retry !== undefined) {
    const left = Math.max(0, Math.ceil((retry.at - now) / 1000))
    return (
      <div className={`${noticeStyles.notice} ${noticeStyles.warn}`} role="status">
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
      <p className={styles.live}>
        <Status tone="run">{t(`phase.${load === undefined ? phase : 'loading'}`)}</Status>
        <span className="meta" aria-hidden="true">
          {pieces > 0 && (
            <>
              {t('figures.tokens', { count: pieces, tokens: formatNumber(pieces) })}
              <span className="separator" />
            </>
          )}
          {formatDuration(Math.floor(seconds / 100) * 100)}
          {pieces > 1 && seconds > 1000 && (
            <>
              <span className="separator" />
              {t('figures.speed', { speed: formatNumber(pieces / (seconds / 1000), 1) })}
            </>
          )}
        </span>
      </p>
      <LoadBar load={load} />
    </div>
  )
}

/** Progress of the model's load. */
function LoadBar({ load }: { readonly load: ModelLoad | undefined }) {
  const { t } = useTranslation('chat')
  // a backend that reports no progress has nothing to show
  if (load === undefined || (load.progress === 0 && load.bytesTotal === 0)) return null
  const { state, progress, bytesDone, bytesTotal } = load
  const size =
    bytesTotal > 0 ? t('loading.bytes', { done: formatBytes(bytesDone), total: formatBytes(bytesTotal) }) : ''
  const text = t(`loading.${state}`, { percent: formatPercent(progress), size })
  return (
    <div className={styles.load}>
      <span className="meta">{text}</span>
      <ProgressBar label={t('loading.label')} share={progress} text={text} />
    </div>
  )
}
