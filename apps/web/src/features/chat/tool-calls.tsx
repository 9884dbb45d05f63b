import { useTranslation } from 'react-i18next'
import { Icon } from '../../components/ui/icon.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { Status } from '../../components/ui/status.tsx'
import type { ToolCall } from '../../lib/chat/types.ts'
import { formatDuration } from '../../lib/format.ts'
import * as styles from './chat.module.css'

/** Calls of tools, side by side: name, state, arguments and result. */
export function ToolCalls({ calls, isLive }: { readonly calls: readonly ToolCall[]; readonly isLive: boolean }) {
  if (calls.length === 0) return null
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
  const { name, result, isFailed, durationMs } = call
  return (
    <div className={styles.call}>
      <header>
        <Icon name="tool" small />
        <b className="monospace clip">{name}</b>
        {isFailed ? (
          <Status tone="bad">{t('tools.failed')}</Status>
        ) : result !== undefined ? (
          <Status tone="ok">{t('tools.done')}</Status>
        ) : isLive ? (
          <Status tone="run">{t('tools.running')}</Status>
        ) : (
          <Status>{t('tools.asked')}</Status>
        )}
        {durationMs !== undefined && <span className="meta">{formatDuration(durationMs)}</span>}
      </header>
      <Folded label={t('tools.arguments')} text={call.arguments} />
      {result !== undefined && <Folded label={t('tools.result')} text={result} />}
    </div>
  )
}

/** A text in one line that opens to all of it; JSON is laid out. */
function Folded({ label, text }: { readonly label: string; readonly text: string }) {
  return (
    <details>
      <summary className="monospace clip">
        {label}: {text}
      </summary>
      <ScrollRegion as="pre">{layOut(text)}</ScrollRegion>
    </details>
  )
}

/** JSON over several lines; anything else as it is. */
export function layOut(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
