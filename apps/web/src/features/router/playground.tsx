import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextArea } from '../../components/ui/field.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { decide, type Router } from './api.ts'
import { DecisionView } from './decision-view.tsx'

/** Asks a router about a text. Nothing is logged and no model answers. */
export function Playground({ router }: { readonly router: Router }) {
  const { t } = useTranslation('router')
  const [text, setText] = useState('')
  const isOffline = useConnection().state === 'offline'
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const run = useMutation({
    mutationFn: () => {
      running.current?.abort()
      running.current = new AbortController()
      return decide(router.name, text, running.current.signal)
    },
  })
  const start = () => {
    if (text.trim() !== '' && !isOffline && !run.isPending) run.mutate()
  }
  return (
    <div className="card">
      <header>
        <h2>{t('tryTitle')}</h2>
        <span className="meta">{t('tryAbout')}</span>
      </header>
      <div className="cardBody stack">
        <TextArea
          label={t('prompt')}
          rows={4}
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
            event.preventDefault()
            start()
          }}
        />
        <div className="row">
          <Button kind="primary" busy={run.isPending} disabled={text.trim() === '' || isOffline} onClick={start}>
            {t('decide')} <kbd className="notOnPhone">Ctrl Enter</kbd>
          </Button>
        </div>
        {run.isError && <ErrorBlock error={run.error} onRetry={start} />}
        {run.data !== undefined && (
          <DecisionView decision={{ ...run.data, served: run.data.candidate }} candidates={router.candidates} />
        )}
      </div>
    </div>
  )
}
