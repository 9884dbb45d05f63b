import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { buttonClass } from '../../components/ui/button.tsx'
import { ScrollRegion } from '../../components/ui/scroll-region.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { formatClock } from '../../lib/format.ts'
import { workerLogQuery } from './api.ts'
import type { WorkerLogLine } from './log-lines.ts'
import * as styles from './nodes.module.css'

/** The newest output of a model's backends on a worker. */
export function LogCard({ id, model }: { readonly id: string; readonly model: string }) {
  const { t } = useTranslation('nodes')
  const log = useQuery(workerLogQuery(id, model))
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
      <QueryView query={log} lines={6} height={20}>
        {(lines) =>
          lines.length === 0 ? <p className={`muted ${styles.noLines}`}>{t('noLines')}</p> : <Lines lines={lines} />
        }
      </QueryView>
    </section>
  )
}

function Lines({ lines }: { readonly lines: readonly WorkerLogLine[] }) {
  const { t } = useTranslation('nodes')
  const box = useRef<HTMLPreElement>(null)
  const last = lines.at(-1)?.timestamp
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
      {lines.map(({ timestamp, stream, text }, index) => (
        <span key={index} className={stream === 'stderr' ? `${styles.line} ${styles.stderr}` : styles.line}>
          <span className={styles.time}>{formatClock(timestamp)}</span> {text}
          {'\n'}
        </span>
      ))}
    </ScrollRegion>
  )
}
