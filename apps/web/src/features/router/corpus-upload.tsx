import { useMutation } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { TextArea } from '../../components/ui/field.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { ProgressBar } from '../../components/ui/progress-bar.tsx'
import { ErrorBlock } from '../../components/ui/states.tsx'
import { useConnection } from '../../lib/connection.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { addEntries, type Router } from './api.ts'
import { type CorpusFile, cutChunks, readCorpusFile } from './corpus-file.ts'

/** The largest file that is read. */
const MAX_BYTES = 16 * 1024 * 1024
const SHOWN_PROBLEMS = 20

interface Report {
  readonly added: number
  readonly skipped: number
  /** Texts that have been sent, of all. */
  readonly sent: number
}

const NOTHING_SENT: Report = { added: 0, skipped: 0, sent: 0 }

/** Adds labelled texts from a file or a paste. They are checked first and sent in requests of 500. */
export function CorpusUpload({ router: { name, policies } }: { readonly router: Router }) {
  const { t } = useTranslation('router')
  const [content, setContent] = useState('')
  const [isTooLarge, setTooLarge] = useState(false)
  const [report, setReport] = useState<Report>(NOTHING_SENT)
  const input = useRef<HTMLInputElement>(null)
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const isOffline = useConnection().state === 'offline'
  const file = useMemo(
    () =>
      readCorpusFile(
        content,
        policies.map(({ label }) => label),
      ),
    [content, policies],
  )
  const send = useMutation({
    async mutationFn() {
      running.current = new AbortController()
      let done = NOTHING_SENT
      setReport(done)
      for (const chunk of cutChunks(file.entries)) {
        const { added, skipped } = await addEntries(name, chunk, running.current.signal)
        done = { added: done.added + added, skipped: done.skipped + skipped, sent: done.sent + chunk.length }
        setReport(done)
      }
    },
    onSuccess: () => setContent(''),
  })
  const change = (text: string) => {
    setContent(text)
    setTooLarge(false)
    send.reset()
    setReport(NOTHING_SENT)
  }
  const readFile = async (chosen: File | undefined) => {
    if (chosen === undefined) return
    if (chosen.size > MAX_BYTES) setTooLarge(true)
    else change(await chosen.text())
    if (input.current !== null) input.current.value = ''
  }
  const total = file.entries.length
  return (
    <div className="card">
      <header>
        <h2>{t('addTexts')}</h2>
      </header>
      <div className="cardBody stack">
        <TextArea
          label={t('paste')}
          hint={t('pasteAbout')}
          rows={6}
          spellCheck={false}
          value={content}
          onChange={({ target }) => change(target.value)}
        />
        <div className="row wrap">
          <input
            ref={input}
            type="file"
            accept=".jsonl,.csv,.txt,application/x-ndjson,text/csv"
            className="visuallyHidden"
            tabIndex={-1}
            aria-hidden="true"
            onChange={({ target }) => void readFile(target.files?.[0])}
          />
          <Button icon="file" onClick={() => input.current?.click()}>
            {t('chooseFile')}
          </Button>
          <Button
            kind="primary"
            busy={send.isPending}
            disabled={total === 0 || isOffline}
            onClick={() => send.mutate()}
          >
            {t('add', { count: total })}
          </Button>
          {send.isPending && <Button onClick={() => running.current?.abort()}>{t('stop')}</Button>}
        </div>
        {isTooLarge && <Notice tone="bad">{t('tooLarge', { limit: formatBytes(MAX_BYTES) })}</Notice>}
        <Problems file={file} />
        {send.isPending && (
          <ProgressBar
            share={report.sent / Math.max(1, total)}
            label={t('addTexts')}
            text={t('sent', { sent: formatNumber(report.sent), total: formatNumber(total) })}
          />
        )}
        {report.sent > 0 && (
          <Notice tone={send.isError ? 'warn' : 'ok'}>
            {t('added', { count: report.added })} {report.skipped > 0 && t('skipped', { count: report.skipped })}
          </Notice>
        )}
        {send.isError && !isAbort(send.error) && <ErrorBlock error={send.error} onRetry={() => send.mutate()} />}
      </div>
    </div>
  )
}

function isAbort(error: Error): boolean {
  return error.name === 'AbortError'
}

function Problems({ file: { problems } }: { readonly file: CorpusFile }) {
  const { t } = useTranslation('router')
  if (problems.length === 0) return null
  return (
    <Notice tone="warn">
      <p>{t('leftOut', { count: problems.length })}</p>
      <ul className="problemList">
        {problems.slice(0, SHOWN_PROBLEMS).map(({ line, problem, value }) => (
          <li key={line}>
            {t('line', { line: formatNumber(line) })}: {t(`problem.${problem}`, { value })}
          </li>
        ))}
        {problems.length > SHOWN_PROBLEMS && <li>{t('moreProblems', { count: problems.length - SHOWN_PROBLEMS })}</li>}
      </ul>
    </Notice>
  )
}
