import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useCapabilities } from '../../lib/capabilities.ts'
import { PageHead } from '../ui/page-head.tsx'
import { TabLinks } from '../ui/tab-links.tsx'

const VIEWS = ['agents', 'tasks', 'jobs', 'collections', 'skills'] as const

/** The head of the lists: agents, tasks, jobs, and the collections and skills that agents use. */
export function AgentsFrame({
  title,
  action,
  children,
}: {
  readonly title: string
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  const { t } = useTranslation('agents')
  const capabilities = useCapabilities()
  const views = VIEWS.filter((view) => (view === 'collections' || view === 'skills' ? capabilities[view] : true))
  return (
    <>
      <PageHead title={title}>
        <TabLinks
          label={t('nav.agents')}
          links={views.map((view) => ({
            to: view === 'agents' ? '/app/agents' : `/app/agents/${view}`,
            text: t(`tab.${view}`),
          }))}
        />
        <span className="push" />
        {action}
      </PageHead>
      <div className="page stack flush">{children}</div>
    </>
  )
}
