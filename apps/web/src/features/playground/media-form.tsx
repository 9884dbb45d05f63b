import type { KeyboardEvent, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { TraceLink } from '../../components/chat/trace-link.tsx'
import { Button } from '../../components/ui/button.tsx'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { EmptyState, ErrorBlock } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { ApiError } from '../../lib/api-error.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatDuration } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import * as styles from './playground.module.css'

/** State of the call that a form starts. */
interface RunState {
  readonly error: Error | undefined
  readonly isRunning: boolean
  readonly startedAt: number
  readonly stop: () => void
}

/** Parts of the page of a kind with sound or pictures. */
interface MediaFormProps {
  readonly run: RunState
  readonly isReady: boolean
  readonly onRun: () => void
  /** The word on the button. */
  readonly action: string
  /** Fields of the form. */
  readonly fields: ReactNode
  /** The equal command. */
  readonly command: string
  /** Shown while the call runs, beside the time. */
  readonly note?: string
  /** The result; undefined or false before the first one. */
  readonly children: ReactNode
}

/** A form on one side and its result on the other; Ctrl+Enter runs it. */
export function MediaForm({ run, isReady, onRun, action, fields, command, note, children }: MediaFormProps) {
  const { t } = useTranslation('playground')
  const isOffline = useConnection().state === 'offline'
  const canRun = isReady && !isOffline
  const hasResult = children !== undefined && children !== false
  const start = () => {
    if (canRun && !run.isRunning) onRun()
  }
  const startByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    start()
  }
  return (
    <div className={styles.columns}>
      <section className="stack" aria-label={t('input')} onKeyDown={startByKey}>
        {fields}
        <div className="row wrap">
          <Button kind="primary" busy={run.isRunning} disabled={!canRun} onClick={start}>
            {action} <kbd className="notOnPhone">Ctrl Enter</kbd>
          </Button>
          {run.isRunning && <Button onClick={run.stop}>{t('stop')}</Button>}
        </div>
        <CodeBlock title={t('command')} text={command} />
      </section>
      <section className="stack" aria-label={t('result')}>
        <span role="status" className="visuallyHidden">
          {run.isRunning ? t('working') : hasResult && t('done')}
        </span>
        {run.isRunning && <Progress startedAt={run.startedAt} note={note} />}
        {run.error !== undefined && (
          <ErrorBlock
            error={run.error}
            onRetry={start}
            actions={<TraceLink correlationId={run.error instanceof ApiError ? run.error.correlationId : undefined} />}
          />
        )}
        {hasResult
          ? children
          : !run.isRunning && run.error === undefined && <EmptyState icon="playground" title={t('nothingYet')} />}
      </section>
    </div>
  )
}

function Progress({ startedAt, note }: { readonly startedAt: number; readonly note: string | undefined }) {
  const { t } = useTranslation('playground')
  const now = useNow(true, 1000)
  return (
    <div className="row wrap">
      <Status tone="run">{t('working')}</Status>
      <span className="meta" aria-hidden="true">
        {formatDuration(Math.max(0, Math.floor((now - startedAt) / 1000) * 1000))}
      </span>
      {note !== undefined && <p className="meta">{note}</p>}
    </div>
  )
}
