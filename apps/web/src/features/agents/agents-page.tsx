import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { AgentsFrame } from '../../components/agents/agents-frame.tsx'
import { DeleteDialog } from '../../components/agents/delete-dialog.tsx'
import { ImportButton } from '../../components/agents/import-button.tsx'
import { NameDialog } from '../../components/agents/name-dialog.tsx'
import { Button } from '../../components/ui/button.tsx'
import { RowMenu } from '../../components/ui/menu.tsx'
import { EmptyState, QueryView } from '../../components/ui/states.tsx'
import { Status } from '../../components/ui/status.tsx'
import { notify } from '../../components/ui/toast.ts'
import { useConnection } from '../../lib/connection.ts'
import { type AgentRow, agentsQuery, createAgent, deleteAgent, findExport, importAgent, setActive } from './api.ts'
import { readExport } from './config-form.ts'

/** Agents: models with a task, tools and a memory of their conversation. */
export function AgentsPage() {
  const { t } = useTranslation('agents')
  const navigate = useNavigate()
  const isOffline = useConnection().state === 'offline'
  const agents = useQuery(agentsQuery)
  const [isMaking, setMaking] = useState(false)
  const [doomed, setDoomed] = useState<string>()
  const open = (name: string) =>
    void navigate({ to: '/app/agents/agent/$name', params: { name }, search: { view: 'settings' } })
  const add = (
    <Button kind="primary" icon="plus" disabled={isOffline} onClick={() => setMaking(true)}>
      {t('add')}
    </Button>
  )
  return (
    <AgentsFrame
      title={t('nav.agents')}
      action={
        <>
          <Import onMade={open} />
          {add}
        </>
      }
    >
      <HubLink hub={agents.data?.hub ?? ''} />
      <QueryView query={agents} lines={4}>
        {({ rows }) =>
          rows.length === 0 ? (
            <EmptyState icon="thinking" title={t('none')} action={add}>
              {t('noneAbout')}
            </EmptyState>
          ) : (
            <AgentTable rows={rows} onDelete={setDoomed} />
          )
        }
      </QueryView>
      {isMaking && (
        <NameDialog
          title={t('add')}
          action={t('make')}
          field={{ label: t('name'), hint: t('nameHint'), maxLength: 100 }}
          create={(name) => createAgent({ name })}
          onMade={open}
          onClose={() => setMaking(false)}
        />
      )}
      {doomed !== undefined && (
        <DeleteDialog
          title={t('deleteNamed', { name: doomed })}
          action={t('delete')}
          done={t('deleted', { name: doomed })}
          remove={() => deleteAgent(doomed)}
          onClose={() => setDoomed(undefined)}
        >
          {t('deleteAbout')}
        </DeleteDialog>
      )}
    </AgentsFrame>
  )
}

function Import({ onMade }: { readonly onMade: (name: string) => void }) {
  const { t } = useTranslation('agents')
  async function load(file: File): Promise<string> {
    const config = readExport(await file.text())
    if (config === undefined) throw new Error(t('notAnAgent'))
    await importAgent(config)
    return config.name
  }
  return (
    <ImportButton
      label={t('import')}
      accept=".json,application/json"
      load={load}
      toNews={(name) => t('imported', { name })}
      onMade={onMade}
    />
  )
}

/** Where agents are shared. @param hub an address; empty without one */
function HubLink({ hub }: { readonly hub: string }) {
  const { t } = useTranslation('agents')
  if (!/^https?:\/\//.test(hub)) return null
  return (
    <p>
      <a href={hub} target="_blank" rel="noopener noreferrer">
        {t('hub')}
      </a>
    </p>
  )
}

function AgentTable({
  rows,
  onDelete,
}: {
  readonly rows: readonly AgentRow[]
  readonly onDelete: (name: string) => void
}) {
  const { t } = useTranslation('agents')
  return (
    <table className="table stacked">
      <thead>
        <tr>
          <th scope="col">{t('name')}</th>
          <th scope="col">{t('state')}</th>
          <th scope="col">
            <span className="visuallyHidden">{t('actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.name} row={row} onDelete={onDelete} />
        ))}
      </tbody>
    </table>
  )
}

function Row({
  row: { name, isActive },
  onDelete,
}: {
  readonly row: AgentRow
  readonly onDelete: (name: string) => void
}) {
  const { t } = useTranslation('agents')
  const navigate = useNavigate()
  const isOffline = useConnection().state === 'offline'
  const toggle = useMutation({
    mutationFn: () => setActive(name, !isActive),
    onError: (error) => notify('error', error.message),
  })
  return (
    <tr>
      <td className="mainCell clip">
        <Link className="mainLink medium" to="/app/agents/agent/$name" params={{ name }}>
          {name}
        </Link>
      </td>
      <td className="minorCell">
        <Status tone={isActive ? 'ok' : 'neutral'}>{t(isActive ? 'active' : 'paused')}</Status>
      </td>
      <td className="endCell number">
        <RowMenu
          label={t('actionsNamed', { name })}
          entries={[
            {
              id: 'settings',
              text: t('view.settings'),
              icon: 'edit',
              onSelect: () =>
                void navigate({ to: '/app/agents/agent/$name', params: { name }, search: { view: 'settings' } }),
            },
            {
              id: 'toggle',
              text: isActive ? t('pause') : t('resume'),
              icon: isActive ? 'pause' : 'playground',
              isDisabled: isOffline,
              onSelect: () => toggle.mutate(),
            },
            {
              id: 'export',
              text: t('export'),
              icon: 'activity',
              onSelect: () => window.location.assign(findExport(name)),
            },
            {
              id: 'delete',
              text: t('delete'),
              icon: 'trash',
              isDangerous: true,
              isDisabled: isOffline,
              separator: true,
              onSelect: () => onDelete(name),
            },
          ]}
        />
      </td>
    </tr>
  )
}
