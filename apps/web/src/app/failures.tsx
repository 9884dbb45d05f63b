import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../components/ui/button.tsx'
import { CopyButton } from '../components/ui/copy-button.tsx'
import { PageHead } from '../components/ui/page-head.tsx'
import { EmptyState, ErrorBlock } from '../components/ui/states.tsx'
import { ApiError } from '../lib/api-error.ts'
import type { Refusal } from './pages.ts'
import * as shellStyles from './shell.module.css'
import { isStaleChunk, reloadOnce } from './stale-build.ts'

/** Shown in place of a page that failed. The shell around it stays. */
export function PageFailure({ error }: ErrorComponentProps) {
  const { t } = useTranslation()
  const router = useRouter()
  const isStale = isStaleChunk(error)
  useEffect(() => {
    if (isStale) void reloadOnce()
  }, [isStale])
  return (
    <>
      <PageHead title={t('failure.title')} />
      <div className="page stack">
        {isStale ? (
          <EmptyState
            icon="regenerate"
            title={t('failure.stale')}
            action={<Button onClick={() => location.reload()}>{t('failure.reload')}</Button>}
          />
        ) : (
          <>
            <ErrorBlock error={error} onRetry={() => void router.invalidate()} />
            {!(error instanceof ApiError) && (
              <CopyButton showLabel label={t('failure.copyReport')} text={describe(error)} />
            )}
          </>
        )}
      </div>
    </>
  )
}

/** A failure outside of the shell, such as a server that is away while the first page loads. */
export function RootFailure(props: ErrorComponentProps) {
  return (
    <main className={shellStyles.main} id="main">
      <PageFailure {...props} />
    </main>
  )
}

/** The report holds only the fault: no texts, no keys. */
function describe(error: unknown): string {
  const fault = error instanceof Error ? (error.stack ?? `${error.name}: ${error.message}`) : String(error)
  return [fault, location.pathname, navigator.userAgent].join('\n')
}

/** In place of a page that the viewer may not see. */
export function RefusedPage({ refusal }: { readonly refusal: Refusal }) {
  const { t } = useTranslation()
  if (refusal.kind === 'absent') return <NotFoundPage />
  return (
    <>
      <PageHead title={t('refused.title')} />
      <div className="page">
        <EmptyState icon="lock" title={t('refused.title')} action={<Link to="/app">{t('refused.home')}</Link>}>
          {refusal.kind === 'feature' ? t('refused.feature', { feature: refusal.feature }) : t('refused.role')}
        </EmptyState>
      </div>
    </>
  )
}

/** An address that leads nowhere. */
export function NotFoundPage() {
  const { t } = useTranslation()
  return (
    <>
      <PageHead title={t('notFound.title')} />
      <div className="page">
        <EmptyState icon="search" title={t('notFound.title')} action={<Link to="/app">{t('notFound.home')}</Link>}>
          {t('notFound.about')}
        </EmptyState>
      </div>
    </>
  )
}
