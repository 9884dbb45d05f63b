import { Outlet, useRouterState } from '@tanstack/react-router'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../components/ui/button.tsx'
import { Skeleton } from '../components/ui/states.tsx'
import { Breadcrumbs } from './breadcrumbs.tsx'
import { useFollowChanges } from './follow-changes.ts'
import { useFollowFocus } from './follow-focus.ts'
import { Navigation } from './navigation.tsx'
import { useNavigationCounts } from './navigation-counts.tsx'
import * as styles from './shell.module.css'
import { useShortcuts } from './shortcuts.ts'
import { ConnectionBanner, OpenServerNotice } from './standing-notices.tsx'
import { TopBarTools } from './top-bar.tsx'

/** The frame around every page of a viewer who is signed in. */
export function Shell() {
  const { t } = useTranslation()
  const [isDrawerOpen, setDrawerOpen] = useState(false)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const counts = useNavigationCounts()
  useFollowFocus()
  useFollowChanges()
  useShortcuts()
  useEffect(() => setDrawerOpen(false), [path])
  return (
    <>
      <a className={styles.skip} href={`${path}#main`} onClick={skipToContent}>
        {t('skip')}
      </a>
      <div className={styles.frame}>
        <Navigation counts={counts} />
        <header className={styles.top}>
          <IconButton
            className="phoneOnly"
            icon="menu"
            label={t('nav.open')}
            aria-expanded={isDrawerOpen}
            onClick={() => setDrawerOpen(true)}
          />
          <Breadcrumbs />
          <TopBarTools />
        </header>
        <main className={styles.main} id="main" tabIndex={-1}>
          <ConnectionBanner />
          <OpenServerNotice />
          <Suspense fallback={<Skeleton lines={6} />}>
            <Outlet />
          </Suspense>
        </main>
      </div>
      {isDrawerOpen && <Drawer counts={counts} onClose={() => setDrawerOpen(false)} />}
    </>
  )
}

/** The navigation of narrow screens. Esc closes it. */
function Drawer({
  counts,
  onClose,
}: {
  readonly counts: Readonly<Record<string, ReactNode>>
  readonly onClose: () => void
}) {
  const { t } = useTranslation()
  useEffect(() => {
    const onKey = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') onClose()
    }
    addEventListener('keydown', onKey)
    const opener = document.activeElement
    document.querySelector<HTMLElement>('[data-drawer] a')?.focus()
    return () => {
      removeEventListener('keydown', onKey)
      // a page that was chosen there takes the focus itself
      if (opener instanceof HTMLElement) opener.focus()
    }
  }, [onClose])
  return (
    <>
      <button type="button" className={styles.drawerBack} aria-label={t('nav.close')} onClick={onClose} />
      <Navigation isDrawer counts={counts} onFollow={onClose} />
    </>
  )
}

function skipToContent(event: React.MouseEvent): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}
