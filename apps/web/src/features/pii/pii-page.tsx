import { useMutation } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { useConnection } from '../../lib/connection.ts'
import { useSession } from '../../lib/session.ts'
import { runFilter } from './api.ts'
import * as styles from './pii.module.css'
import { PolicyBar } from './policy-bar.tsx'
import { ResultPanel } from './result-panel.tsx'
import { TextPanel } from './text-panel.tsx'

const route = getRouteApi('/app/pii')

/** Tries a filter on a text. It runs only on a button or Ctrl+Enter, since each run writes events. */
export function PiiPage() {
  const { t } = useTranslation('pii')
  const { source, model, detectors = [] } = route.useSearch()
  const [text, setText] = useState('')
  const [reveal, setReveal] = useState(false)
  const { isAdmin } = useSession().viewer
  const isOffline = useConnection().state === 'offline'
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const run = useMutation({
    mutationFn: () => {
      running.current?.abort()
      running.current = new AbortController()
      return runFilter({
        text,
        model: source === 'model' ? model : undefined,
        detectors: source === 'detectors' ? detectors : undefined,
        reveal: reveal && isAdmin,
        signal: running.current.signal,
      })
    },
  })
  const missing =
    text === ''
      ? t('needsText')
      : source === 'model' && model === undefined
        ? t('needsModel')
        : source === 'detectors' && detectors.length === 0
          ? t('needsDetector')
          : undefined
  const start = () => {
    if (missing === undefined && !isOffline && !run.isPending) run.mutate()
  }
  return (
    <>
      <PageHead title={t('title')}>
        <span className="meta notOnPhone">{t('about')}</span>
      </PageHead>
      <PolicyBar
        reveal={reveal}
        onReveal={setReveal}
        missing={missing}
        isRunning={run.isPending}
        isOffline={isOffline}
        onRun={start}
      />
      <div className={styles.columns}>
        <TextPanel text={text} onText={setText} outcome={run.data} onRun={start} />
        <ResultPanel
          outcome={run.data}
          error={run.error}
          isStale={run.data !== undefined && run.data.text !== text}
          onRetry={start}
        />
      </div>
    </>
  )
}
