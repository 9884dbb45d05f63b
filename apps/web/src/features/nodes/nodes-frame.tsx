import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { PageHead } from '../../components/ui/page-head.tsx'
import { TabLinks } from '../../components/ui/tab-links.tsx'
import { useCapabilities } from '../../lib/capabilities.ts'

/** The head of the lists: workers, rules, placement and peers. */
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
  const { p2p: hasPeers } = useCapabilities()
  return (
    <>
      <PageHead title={title}>
        <TabLinks
          label={t('common:nav.nodes')}
          links={[
            { to: '/app/nodes', text: t('tab.nodes') },
            { to: '/app/nodes/placement', text: t('tab.placement') },
            { to: '/app/nodes/scheduling', text: t('tab.scheduling') },
            ...(hasPeers ? [{ to: '/app/nodes/peers', text: t('tab.peers') }] : []),
          ]}
        />
        <span className="push" />
        {action}
      </PageHead>
      <div className="page stack flush">{children}</div>
    </>
  )
}
