import { useMutation, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { PageHead } from '../../components/ui/page-head.tsx'
import { Segmented } from '../../components/ui/segmented.tsx'
import { QueryView } from '../../components/ui/states.tsx'
import { Badge } from '../../components/ui/status.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { AgentChat } from './agent-chat.tsx'
import { AgentFiles } from './agent-files.tsx'
import { AgentSettings } from './agent-settings.tsx'
import * as styles from './agents.module.css'
import { agentQuery, setActive } from './api.ts'
import { VIEWS } from './search.ts'

const route = getRouteApi('/app/agents/agent/$name')

/** An agent: the conversation with it, its settings and its files. */
export function AgentPage() {
  const { t } = useTranslation('agents')
  const { name } = route.useParams()
  const { view = 'chat' } = route.useSearch()
  const navigate = route.useNavigate()
  const agent = useQuery(agentQuery(name))
  return (
    <>
      <PageHead title={name}>
        {agent.data && !agent.data.active && <Badge tone="warn">{t('paused')}</Badge>}
        <div className="row wrap push">
          <Segmented
            label={t('view.label')}
            value={view}
            options={VIEWS.map((each) => [each, t(`view.${each}`)] as const)}
            onChange={(next) => void navigate({ search: { view: next }, replace: true })}
          />
          {agent.data && <PauseButton name={name} isActive={agent.data.active} />}
        </div>
      </PageHead>
      <div className={`page ${styles.page}`} key={name}>
        <QueryView query={agent} lines={6}>
          {({ active }) => (
            <>
              {view === 'chat' && <AgentChat name={name} isActive={active} />}
              {view === 'settings' && <AgentSettings name={name} />}
              {view === 'files' && <AgentFiles name={name} />}
            </>
          )}
        </QueryView>
      </div>
    </>
  )
}

function PauseButton({ name, isActive }: { readonly name: string; readonly isActive: boolean }) {
  const { t } = useTranslation('agents')
  const isOffline = useConnection().state === 'offline'
  const toggle = useMutation({
    mutationFn: () => setActive(name, !isActive),
    onError: (error) => notify('error', error.message),
  })
  return (
    <Button
      icon={isActive ? 'pause' : 'playground'}
      busy={toggle.isPending}
      disabled={isOffline}
      onClick={() => toggle.mutate()}
    >
      {isActive ? t('pause') : t('resume')}
    </Button>
  )
}
