import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/ui/icon.tsx'
import { Status } from '../../components/ui/status.tsx'
import type { ToolCall } from '../../lib/chat/types.ts'
import { formatDuration } from '../../lib/format.ts'
import * as styles from './chat.module.css'
import { FoldedText } from './folded-text.tsx'

/** Calls of tools, side by side: name, state, arguments and result. */
export function ToolCalls({ calls, isLive }: { readonly calls: readonly ToolCall[]; readonly isLive: boolean }) {
  return (
    <div className={styles.calls}>
      {calls.map((call) => (
        <Call key={call.id} call={call} isLive={isLive} />
      ))}
    </div>
  )
}

function Call({ call, isLive }: { readonly call: ToolCall; readonly isLive: boolean }) {
  const { t } = useTranslation('chat')
  const { name, tool = name, server, result, durationMs } = call
  return (
    <div className={styles.call}>
      <header>
        <Icon name="tool" small />
        <b className="monospace clip" title={tool}>
          {tool}
        </b>
        <CallState call={call} isLive={isLive} />
        {durationMs !== undefined && <span className="meta">{formatDuration(durationMs)}</span>}
      </header>
      {server !== undefined && server !== '' && <p className="meta clip">{t('tools.ofServer', { server })}</p>}
      <FoldedText label={t('tools.arguments')} text={call.arguments} />
      {result !== undefined && <FoldedText label={t('tools.result')} text={result} />}
    </div>
  )
}

function CallState({ call, isLive }: { readonly call: ToolCall; readonly isLive: boolean }) {
  const { t } = useTranslation('chat')
  const { result, isFailed, consent, server } = call
  if (consent === 'declined') return <Status tone="warn">{t('consent.declined')}</Status>
  if (isFailed === true) return <Status tone="bad">{t('tools.failed')}</Status>
  if (result !== undefined) return <Status tone="ok">{t('tools.done')}</Status>
  if (isLive) return <Status tone="run">{t('tools.running')}</Status>
  if (consent === 'allowed') return <Status>{t('consent.allowed')}</Status>
  return <Status>{server === undefined ? t('tools.asked') : t('tools.noResult')}</Status>
}
