import { useMutation } from '@tanstack/react-query'
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CodeBlock } from '../../components/ui/code-block.tsx'
import { TextArea } from '../../components/ui/field.tsx'
import { EmptyState, ErrorBlock } from '../../components/ui/states.tsx'
import { toUrl } from '../../lib/base-path.ts'
import { useConnection } from '../../lib/connection.ts'
import { useSession } from '../../lib/session.ts'
import { runKind } from './api.ts'
import { writeCurl } from './commands.ts'
import { BODIES, type Input, isComplete, readKindFacts, type TextKind } from './kinds.ts'
import { OutcomeView } from './outcome-view.tsx'
import * as styles from './playground.module.css'

/** The form of a kind, its result, and the equal command. @param children content above the fields */
export function KindForm({
  kind,
  model,
  children,
}: {
  readonly kind: TextKind
  readonly model: string
  readonly children: ReactNode
}) {
  const { t } = useTranslation('playground')
  const [input, setInput] = useState<Input>({ text: '', list: '' })
  const { viewer } = useSession()
  const isOffline = useConnection().state === 'offline'
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const { path, hasList = false } = readKindFacts(kind)
  const run = useMutation({
    mutationFn: () => {
      running.current?.abort()
      running.current = new AbortController()
      return runKind(kind, model, input, running.current.signal)
    },
  })
  const isReady = isComplete(kind, model, input) && !isOffline
  const start = () => {
    if (isReady && !run.isPending) run.mutate()
  }
  const startByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    start()
  }
  const isStopped = run.error?.name === 'AbortError'
  return (
    <div className={styles.columns}>
      <section className="stack" aria-label={t('input')}>
        {children}
        <TextArea
          label={t(`text.${kind}`)}
          rows={hasList ? 3 : 7}
          value={input.text}
          onKeyDown={startByKey}
          onChange={({ target }) => setInput({ ...input, text: target.value })}
        />
        {hasList && (
          <TextArea
            label={t(`list.${kind}`)}
            rows={5}
            value={input.list}
            onKeyDown={startByKey}
            onChange={({ target }) => setInput({ ...input, list: target.value })}
          />
        )}
        <div className="row">
          <Button kind="primary" busy={run.isPending} disabled={!isReady} onClick={start}>
            {t('run')} <kbd className="notOnPhone">Ctrl Enter</kbd>
          </Button>
          {run.isPending && <Button onClick={() => running.current?.abort()}>{t('stop')}</Button>}
        </div>
        <CodeBlock
          title={t('command')}
          text={writeCurl(toUrl(path), BODIES[kind](model, input), viewer.kind !== 'open')}
        />
      </section>
      <section className="stack" aria-label={t('result')} aria-live="polite">
        {run.isError && !isStopped && <ErrorBlock error={run.error} onRetry={start} />}
        {run.data === undefined
          ? !run.isError && <EmptyState icon="playground" title={t('nothingYet')} />
          : !run.isError && <OutcomeView outcome={run.data} />}
      </section>
    </div>
  )
}
