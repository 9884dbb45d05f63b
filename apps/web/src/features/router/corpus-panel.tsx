import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmDialog } from '../../components/ui/dialog.tsx'
import { Notice } from '../../components/ui/notice.tsx'
import { EmptyState, ErrorBlock, QueryView } from '../../components/ui/states.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { formatNumber } from '../../lib/format.ts'
import { clearCorpus, corpusQuery, type Router } from './api.ts'
import { CorpusUpload } from './corpus-upload.tsx'
import { LabelBars } from './label-bars.tsx'

/** The corpus of a router: its size by label, new texts, and its removal. Texts are never shown. */
export function CorpusPanel({ router }: { readonly router: Router }) {
  const { t } = useTranslation('router')
  const { name, policies } = router
  const corpus = useQuery(corpusQuery(name))
  const [isClearing, setClearing] = useState(false)
  const isOffline = useConnection().state === 'offline'
  return (
    <>
      <div className="card">
        <header>
          <h2>{t('corpus')}</h2>
          {corpus.data !== undefined && <span className="meta">{t('texts', { count: corpus.data.total })}</span>}
          {(corpus.data?.total ?? 0) > 0 && (
            <span className="push">
              <Button small kind="ghost" icon="trash" disabled={isOffline} onClick={() => setClearing(true)}>
                {t('clear')}
              </Button>
            </span>
          )}
        </header>
        <div className="cardBody stack">
          <QueryView query={corpus}>
            {({ total, label_counts: counts, problems, problem_count: problemCount, embedding_model: model }) => (
              <>
                {total === 0 ? (
                  <EmptyState icon="route" title={t('emptyCorpus')}>
                    {t('emptyCorpusAbout')}
                  </EmptyState>
                ) : (
                  <LabelBars
                    rows={policies.map(({ label }) => ({
                      label,
                      share: (counts[label] ?? 0) / Math.max(1, ...Object.values(counts)),
                      text: formatNumber(counts[label] ?? 0),
                      isActive: false,
                    }))}
                  />
                )}
                {problemCount > 0 && (
                  <Notice tone="warn">
                    <p>{t('unreadable', { count: problemCount })}</p>
                    <ul className="problemList">
                      {problems.map(({ line, problem }) => (
                        <li key={line}>
                          {t('line', { line: formatNumber(line) })}: {problem}
                        </li>
                      ))}
                    </ul>
                  </Notice>
                )}
                <p className="meta">
                  {t('embeddedBy', { model })} {t('textsHidden')}
                </p>
              </>
            )}
          </QueryView>
        </div>
      </div>
      <CorpusUpload router={router} />
      {isClearing && <ClearDialog name={name} onClose={() => setClearing(false)} />}
    </>
  )
}

function ClearDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const { t } = useTranslation('router')
  const clear = useMutation({
    mutationFn: () => clearCorpus(name),
    onSuccess({ cleared }) {
      notify('success', t('cleared', { count: cleared }))
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t('clearTitle')}
      action={t('clear')}
      typed={name}
      busy={clear.isPending}
      error={clear.isError ? <ErrorBlock error={clear.error} /> : undefined}
      onConfirm={() => clear.mutate()}
      onClose={onClose}
    >
      <p>{t('clearAbout', { name })}</p>
    </ConfirmDialog>
  )
}
