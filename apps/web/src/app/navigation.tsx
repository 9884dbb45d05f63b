import { Link, useRouterState } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../components/ui/icon.tsx'
import { ProductMark } from '../components/ui/product-mark.tsx'
import { Status } from '../components/ui/status.tsx'
import { useInstanceName, useOwnLogo, VERSION } from '../lib/branding.ts'
import { useCapabilities } from '../lib/capabilities.ts'
import { useConnection } from '../lib/connection.ts'
import { useSession } from '../lib/session.ts'
import * as styles from './navigation.module.css'
import { findRefusal, PAGES, type Page, type PageGroup } from './pages.ts'

const GROUPS: readonly PageGroup[] = ['use', 'models', 'observe', 'control', 'admin']

/** The pages that this viewer has, in order. */
export function useVisiblePages(): readonly Page[] {
  const session = useSession()
  const capabilities = useCapabilities()
  return PAGES.filter((page) => findRefusal(page, session, capabilities) === undefined)
}

/** The page that is open now, by the longest path that fits. */
export function useCurrentPage(): Page | undefined {
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const inside = path.replace(/^\/app\/?/, '')
  return [...PAGES]
    .sort((left, right) => right.path.length - left.path.length)
    .find((page) => (page.path === '' ? inside === '' : inside === page.path || inside.startsWith(`${page.path}/`)))
}

/** Name, navigation and state of the server. @param counts content at the end of an entry, by the page's id */
export function Navigation({
  isDrawer = false,
  counts = {},
  onFollow,
}: {
  /** Whether it is over the page, on a phone. */
  readonly isDrawer?: boolean
  readonly counts?: Readonly<Record<string, ReactNode>>
  readonly onFollow?: () => void
}) {
  const { t } = useTranslation()
  const pages = useVisiblePages()
  const current = useCurrentPage()
  const instance = useInstanceName()
  const logo = useOwnLogo()
  const { state } = useConnection()
  return (
    <div className={isDrawer ? `${styles.side} ${styles.drawer}` : styles.side} data-drawer={isDrawer || undefined}>
      <Link className={styles.brand} to="/app" {...(onFollow && { onClick: onFollow })}>
        {logo === undefined ? (
          <ProductMark className={`${styles.mark}`} size={14} />
        ) : (
          <img className={styles.ownMark} src={logo} alt="" width={22} height={22} />
        )}
        <span>svc</span>
        {instance !== 'svc' && <small className="clip">{instance}</small>}
      </Link>
      <nav aria-label={t('nav.label')}>
        {GROUPS.map((group) => {
          const entries = pages.filter((page) => page.group === group && page.isMenuOnly !== true)
          return entries.length === 0 ? null : (
            <div key={group}>
              <p className={styles.group} id={`nav-${group}`}>
                {t(`nav.group.${group}`)}
              </p>
              <ul aria-labelledby={`nav-${group}`}>
                {entries.map((page) => (
                  <li key={page.id}>
                    <Link
                      to={`/app/${page.path}` as '/app'}
                      // the home page begins every path, so only its own is marked by itself
                      activeOptions={{ exact: true, includeSearch: false }}
                      {...(page === current ? { 'aria-current': 'page' as const } : {})}
                      {...(onFollow && { onClick: onFollow })}
                    >
                      <Icon name={page.icon} />
                      <span>{t(`nav.${page.id}`)}</span>
                      {counts[page.id]}
                    </Link>
                  </li>
                ))}
              </ul>
            </div>
          )
        })}
      </nav>
      <footer>
        <Status tone={state === 'online' ? 'ok' : 'bad'}>
          <span>{state === 'online' ? t('server.ready') : t('server.away')}</span>
        </Status>
        <span className="meta push clip">
          <span>{VERSION}</span>
        </span>
      </footer>
    </div>
  )
}
