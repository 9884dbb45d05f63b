import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { TabLinks } from '../../components/ui/tab-links.tsx'

/** The head of the lists: workers, rules and placement. */
export function NodesFrame({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  const { t } = useTranslation('nodes')
  return (
    <>
      <PageHead title={title}>
        <TabLinks
          label={t('common:nav.nodes')}
          links={[
            { to: '/app/nodes', text: t('tab.nodes') },
            { to: '/app/nodes/placement', text: t('tab.placement') },
            { to: '/app/nodes/scheduling', text: t('tab.scheduling') },
          ]}
        />
        <span className="push" />
        {action}
      </PageHead>
      <div className="page stack flush">{children}</div>
    </>
  )
}
