import { Link } from '@tanstack/react-router'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { ErrorBlock, Skeleton } from '../../components/ui/states.tsx'
import type { LogLine } from '../../lib/backend-log/log-lines.ts'
import { type Log, useLog } from '../../lib/backend-log/use-log.ts'
import { formatClock } from '../../lib/format.ts'
import { readWorkerLog } from './api.ts'
import * as styles from './nodes.module.css'

/** Newest lines that the card shows. */
const MAX_LINES = 1_000

/** The newest output of a model's backends on a worker, live. */
export function LogCard({ id, model }: { readonly id: string; readonly model: string }) {
  const { t } = useTranslation('nodes')
  const source = useMemo(() => readWorkerLog(id, model), [id, model])
  const log = useLog(source)
  return (
    <section className="card" aria-labelledby="worker-log">
      <header>
        <h2 id="worker-log" className="clip">
          {t('logOf', { model })}
        </h2>
        <span className="push" />
        <Link className={buttonClass('ghost', 'small')} to="/app/nodes/node/$id" params={{ id }} search={{}} replace>
          {t('closeLog')}
        </Link>
      </header>
      {log.error !== undefined && <ErrorBlock error={log.error} />}
      <Output log={log} />
    </section>
  )
}

function Output({ log: { lines, isRead, error } }: { readonly log: Log }) {
  const { t } = useTranslation('nodes')
  if (lines.length > 0) return <Lines lines={lines.slice(-MAX_LINES)} />
  if (isRead) return <p className={`muted ${styles.noLines}`}>{t('noLines')}</p>
  return error === undefined && <Skeleton lines={6} height={20} />
}

function Lines({ lines }: { readonly lines: readonly LogLine[] }) {
  const { t } = useTranslation('nodes')
  const box = useRef<HTMLPreElement>(null)
  const last = lines.at(-1)?.number
  // a reader who has scrolled up stays there
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (isAtEnd.current) box.current?.scrollTo({ top: box.current.scrollHeight })
  }, [last])
  return (
    <ScrollRegion
      as="pre"
      ref={box}
      className={styles.lines}
      aria-label={t('lines')}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 4
      }}
    >
      {lines.map(({ number, timestamp, stream, text, missed }) => (
        <span key={number} className={stream === 'stderr' ? `${styles.line} ${styles.stderr}` : styles.line}>
          <span className={styles.time}>{formatClock(timestamp)}</span>{' '}
          {missed === undefined ? text : t('missedLines', { count: missed })}
          {'\n'}
        </span>
      ))}
    </ScrollRegion>
  )
}
