import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { TabLinks } from '../../components/ui/tab-links.tsx'
import { useSession } from '../../lib/session.ts'

/** The head of both views. On a server without accounts it says how to have some, in place of the view. */
export function UsersFrame({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  const { t } = useTranslation('users')
  const { hasAccounts } = useSession()
  if (!hasAccounts)
    return (
      <>
        <PageHead title={title} />
        <div className="page">
          <EmptyState icon="users" title={t('off.title')}>
            {t('off.about')} <code>--auth-enabled</code>
          </EmptyState>
        </div>
      </>
    )
  return (
    <>
      <PageHead title={title}>
        <TabLinks
          label={t('nav.users')}
          links={[
            { to: '/app/users', text: t('tab.users') },
            { to: '/app/users/invites', text: t('tab.invites') },
            { to: '/app/users/keys', text: t('tab.keys') },
            { to: '/app/users/limits', text: t('tab.limits') },
          ]}
        />
        <span className="push" />
        {action}
      </PageHead>
      <div className="page stack flush">{children}</div>
    </>
  )
}
