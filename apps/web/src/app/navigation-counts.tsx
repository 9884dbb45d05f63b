import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { lazyPart } from '../lib/lazy-part.ts'
import { useSession } from '../lib/session.ts'

/** Counts wait until the page is drawn, so that they do not delay it. */
const DELAY_MS = 1_500

const AttentionCount = lazyPart(async () => (await import('./attention-count.tsx')).AttentionCount)

/** An entry that the viewer does not see is not drawn, so it asks for nothing. */
const ACTIVITY = (
  <Suspense>
    <AttentionCount />
  </Suspense>
)
const PendingCount = lazyPart(async () => (await import('./pending-count.tsx')).PendingCount)

/** Content at the end of entries of the navigation, by the page's id. */
export function useNavigationCounts(): Readonly<Record<string, ReactNode>> {
  const { viewer, hasAccounts, registrationMode } = useSession()
  const [isDrawn, setDrawn] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setDrawn(true), DELAY_MS)
    return () => clearTimeout(timer)
  }, [])
  if (!isDrawn) return {}
  if (!viewer.isAdmin || !hasAccounts || registrationMode !== 'approval') return { activity: ACTIVITY }
  return {
    activity: ACTIVITY,
    users: (
      <Suspense>
        <PendingCount />
      </Suspense>
    ),
  }
}
