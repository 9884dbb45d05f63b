import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePendingCount } from '../features/users/api.ts'
import { useSession } from '../lib/session.ts'

/** Counts wait until the page is drawn: they are no reason to show it later. */
const DELAY_MS = 1_500

const AttentionCount = lazy(async () => ({ default: (await import('./attention-count.tsx')).AttentionCount }))

/** An entry that the viewer does not see is not drawn, so it asks for nothing. */
const ACTIVITY = (
  <Suspense>
    <AttentionCount />
  </Suspense>
)

/** What stands at the end of entries of the navigation, by the page's id. */
export function useNavigationCounts(): Readonly<Record<string, ReactNode>> {
  const { t } = useTranslation()
  const { viewer, hasAccounts, registrationMode } = useSession()
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDrawn(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  const asks = viewer.isAdmin && hasAccounts && registrationMode === 'approval'
  const pending = usePendingCount(asks && isDrawn)
  if (!isDrawn) return {}
  if (pending === 0) return { activity: ACTIVITY }
  return {
    activity: ACTIVITY,
    users: (
      <span className="cnt">
        <span aria-hidden="true">{pending}</span>
        <span className="vh">{t('nav.waitingUsers', { count: pending })}</span>
      </span>
    ),
  }
}
