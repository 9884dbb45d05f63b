import { Link, useRouterState } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { usePageTitle } from '../components/ui/page-head.tsx'
import { useCurrentPage } from './navigation.tsx'
import * as topBarStyles from './top-bar.module.css'

/** Place of the open page: its group, its place in the navigation, and below that its own name, with the way back. */
export function Breadcrumbs() {
  const { t } = useTranslation()
  const page = useCurrentPage()
  const title = usePageTitle()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  if (page === undefined) return <div className={topBarStyles.breadcrumbs} />
  const name = t(`nav.${page.id}`)
  const group = t(`nav.group.${page.group}`)
  const home = page.path === '' ? '/app' : `/app/${page.path}`
  const isBelow = path !== home && path !== `${home}/` && title !== '' && title !== name
  return (
    <div className={topBarStyles.breadcrumbs}>
      {group !== name && (
        <>
          <span className="notOnPhone">{group}</span>
          <Separator />
        </>
      )}
      {isBelow ? (
        <>
          <Link className="notOnPhone" to={home as '/app'}>
            {name}
          </Link>
          <Separator />
          <b>{title}</b>
        </>
      ) : (
        <b>{name}</b>
      )}
    </div>
  )
}

function Separator() {
  return (
    <span className="notOnPhone" aria-hidden="true">
      /
    </span>
  )
}
