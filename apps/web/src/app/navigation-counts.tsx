import { type ReactNode, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { usePendingCount } from '../features/users/api.ts'
import { useSession } from '../lib/session.ts'

/** Counts wait until the page is drawn: they are no reason to show it later. */
const DELAY_MS = 1_500

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
  if (pending === 0) return {}
  return {
    users: (
      <span className="cnt">
        <span aria-hidden="true">{pending}</span>
        <span className="vh">{t('nav.waitingUsers', { count: pending })}</span>
      </span>
    ),
  }
}
